import { once } from 'node:events';
import { explainStartFailure } from '../../../src/start-failure';
import { startTestServer } from '../../../src/testing';

/** Serves on a database with the given settings until its standard input ends; prints `ready`, or the reason for a failed start. */
async function serve(database: string, settings: string): Promise<void> {
  const environment = JSON.parse(settings) as Record<string, string>;
  const server = await startTestServer({ database, demo: false, environment });
  process.stdout.write('ready\n');
  process.stdin.resume();
  await once(process.stdin, 'end');
  await server.close();
}

serve(process.argv[2] as string, process.argv[3] as string).catch((error: unknown) => {
  process.stdout.write(`${explainStartFailure(error).join('\n')}\n`);
});
