import { type AddressInfo } from 'node:net';
import { existsSync } from 'node:fs';
import { inspect } from 'node:util';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { HttpAdapterHost } from '@nestjs/core';
import { Logger } from 'nestjs-pino';
import { announcement } from './announcement';
import { createApplication } from './app.setup';
import { type Environment, readEnvironment } from './config/environment';
import { FirstStartService } from './first-start/first-start.service';
import { type ServiceAdapter } from './http/server/service-adapter';
import { endOrderly, noteSignals } from './process-end';
import { explainStartFailure } from './start-failure';

/** What a stop may take beyond SHUTDOWN_GRACE, and at least: webhooks that are being sent are waited for. In milliseconds. */
const STOP_RESERVE_MS = 8000;
const MIN_STOP_LIMIT_MS = 18_000;

async function start(): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const environment = readEnvironment();
  const wasStopped = noteSignals();
  const app = await createApplication(environment);
  const stop = endOrderly(app, {
    closeConnections: () => app.get(HttpAdapterHost<ServiceAdapter>).httpAdapter.connections.close(true),
    limit: Math.max(environment.SHUTDOWN_GRACE * 1000 + STOP_RESERVE_MS, MIN_STOP_LIMIT_MS),
    logFatal: fatalLog(app, environment),
  });
  if (wasStopped()) {
    stop();
    return;
  }
  try {
    const firstStart = await app.get(FirstStartService).run();
    // Nest would log what goes wrong here in a line of its own, beside the one below.
    app.useLogger(false);
    await app.listen(environment.PORT, environment.HOST);
    app.useLogger(app.get(Logger));
    process.stdout.write(announcement(addressOf(app, environment), environment, firstStart));
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** Logs what ends the process, even if nothing else is logged. */
function fatalLog(app: NestExpressApplication, { LOG_LEVEL }: Environment) {
  const logger = app.get(Logger);
  return (details: { err?: Error }, message: string): void => {
    if (LOG_LEVEL === 'silent')
      process.stderr.write(`${message}${details.err ? `: ${inspect(details.err)}` : ''}\n`);
    else logger.fatal(details, message, 'Process');
  };
}

function addressOf(app: NestExpressApplication, environment: Environment): string {
  const { port } = app.getHttpServer().address() as AddressInfo;
  const host = ['0.0.0.0', '::'].includes(environment.HOST) ? 'localhost' : environment.HOST;
  return (
    environment.PUBLIC_URL?.replace(/\/$/, '') ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  );
}

start().catch((error: unknown) => {
  for (const line of explainStartFailure(error)) process.stderr.write(`${line}\n`);
  process.exitCode = 1;
});
