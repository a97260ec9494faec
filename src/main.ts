import { type AddressInfo } from 'node:net';
import { existsSync } from 'node:fs';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { Logger } from 'nestjs-pino';
import { createApplication } from './app.setup';
import { type Environment, readEnvironment } from './config/environment';
import { type FirstStart, FirstStartService } from './first-start/first-start.service';
import { explainStartFailure } from './start-failure';

async function start(): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const environment = readEnvironment();
  const app = await createApplication(environment);
  try {
    const firstStart = await app.get(FirstStartService).run();
    // Nest would log what goes wrong here in a line of its own, beside the one below.
    app.useLogger(false);
    await app.listen(environment.PORT, environment.HOST);
    app.useLogger(app.get(Logger));
    announce(addressOf(app, environment), environment, firstStart);
  } catch (error) {
    await app.close();
    throw error;
  }
}

function addressOf(app: NestExpressApplication, environment: Environment): string {
  const { port } = app.getHttpServer().address() as AddressInfo;
  const host = ['0.0.0.0', '::'].includes(environment.HOST) ? 'localhost' : environment.HOST;
  return (
    environment.PUBLIC_URL?.replace(/\/$/, '') ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  );
}

/** For a person at a terminal, beside the log: what is where, and on the first start how to call it. */
function announce(address: string, environment: Environment, firstStart: FirstStart | undefined): void {
  const base = `${address}${environment.BASE_PATH === '/' ? '' : environment.BASE_PATH}`;
  const lines = [`Service        ${base}`, `Documentation  ${address}/api-docs`];
  if (firstStart) {
    const { adminKey, hasDemoData } = firstStart;
    lines.push(
      `API key        ${adminKey}`,
      '               (of the user admin; shown this once)',
      '',
      'Try:',
      '',
    );
    const header = `-H 'X-API-Key: ${adminKey}'`;
    if (hasDemoData) {
      lines.push(
        `curl ${header} ${base}/projects/DEMO/git/repositories/demo/pullRequests/1/comments`,
        `curl ${header} ${base}/issues/DEMO-1/comments -H 'Content-Type: application/json' -d '{"content":"Hello"}'`,
      );
    } else {
      lines.push(`curl ${header} ${base}/users/myself`);
    }
  }
  process.stdout.write(`\n${lines.map((line) => `  ${line}`.trimEnd()).join('\n')}\n\n`);
}

start().catch((error: unknown) => {
  for (const line of explainStartFailure(error)) process.stderr.write(`${line}\n`);
  process.exitCode = 1;
});
