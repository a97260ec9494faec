import { once } from 'node:events';
import { startTestServer } from '../../../src/testing';

/** Serves with the given settings until its standard input ends; prints the address and the Administrator's key as JSON. */
async function serve(database: string, settings: string): Promise<void> {
  const environment = JSON.parse(settings) as Record<string, string>;
  const server = await startTestServer({ database: database || undefined, demo: false, environment });
  const { baseUrl, adminKey } = server;
  process.stdout.write(`${JSON.stringify({ baseUrl, adminKey })}\n`);
  process.stdin.resume();
  await once(process.stdin, 'end');
  await server.close();
  process.stdout.write('stopped\n');
}

void serve(process.argv[2] as string, process.argv[3] as string);
