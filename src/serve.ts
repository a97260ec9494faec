import { createRequire } from 'node:module';
import { type AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { HttpAdapterHost } from '@nestjs/core';
import { Logger } from 'nestjs-pino';
import { announcement } from './announcement';
import { createApplication } from './app.setup';
import { CommandSocketService } from './cli/socket/command-socket.service';
import { type Environment, isStartedByNpx, readSettings } from './config/environment';
import { FirstStartService } from './first-start/first-start.service';
import { NewerSchemaService } from './health/newer-schema.service';
import { type ServiceAdapter } from './http/server/service-adapter';
import { keepFilesPrivate } from './private-files';
import { endWithParent, installShutdown, recordSignals } from './process-end';
import { releaseStartMemory } from './start-memory';
import type * as TracingFile from './tracing/tracing';

/** Time beyond SHUTDOWN_GRACE in which a shutdown must end, and the minimum limit, in milliseconds: webhooks being sent are awaited. */
const STOP_RESERVE_MS = 8000;
const MIN_STOP_LIMIT_MS = 18_000;

/**
 * Runs the service until it is stopped.
 * @throws the error of a failed start; `explainStartFailure` describes it
 */
export async function serve(): Promise<void> {
  keepFilesPrivate();
  const environment = readSettings();
  const wasStopped = recordSignals();
  if (isStartedByNpx()) endWithParent();
  // Failing output, for example on a full disk, is no reason to exit.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
  const tracing = environment.hasTraces ? loadTracing().startTracing(environment) : undefined;
  const app = await createApplication(environment);
  const stop = installShutdown(app, {
    announceStop: () => app.get(HttpAdapterHost<ServiceAdapter>).httpAdapter.connections.announceStop(),
    delay: environment.SHUTDOWN_DELAY * 1000,
    closeConnections: () => app.get(HttpAdapterHost<ServiceAdapter>).httpAdapter.connections.close(true),
    afterClose: async () => tracing?.stop(),
    limit: Math.max(environment.SHUTDOWN_GRACE * 1000 + STOP_RESERVE_MS, MIN_STOP_LIMIT_MS),
    logInfo: (details, message) => app.get(Logger).log(details, message, 'Process'),
    logFatal: fatalLog(app, environment),
  });
  void app
    .get(NewerSchemaService, { strict: false })
    .superseded.then(() => stop('A newer version migrates the database', 1));
  if (wasStopped()) {
    stop('A signal was received during startup');
    return;
  }
  try {
    const firstStart = await app.get(FirstStartService).run();
    await app.get(CommandSocketService).open();
    // Nest would log an error here in a separate line, in addition to the one below.
    app.useLogger(false);
    await app.listen(environment.PORT, environment.HOST);
    app.useLogger(app.get(Logger));
    const address = environment.origin((app.getHttpServer().address() as AddressInfo).port);
    app.get(Logger).log({ address }, 'Listening', 'Process');
    process.stdout.write(announcement(address, environment, firstStart));
    releaseStartMemory();
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** OpenTelemetry is loaded only when tracing is enabled. */
const loadTracing = (): typeof TracingFile =>
  createRequire(__filename)('./tracing/tracing') as typeof TracingFile;

/** Logs the reason for the end of the process, even if logging is disabled. */
function fatalLog(app: NestExpressApplication, { LOG_LEVEL }: Environment) {
  const logger = app.get(Logger);
  return (details: { err?: Error }, message: string): void => {
    if (LOG_LEVEL === 'silent')
      process.stderr.write(`${message}${details.err ? `: ${inspect(details.err)}` : ''}\n`);
    else logger.fatal(details, message, 'Process');
  };
}
