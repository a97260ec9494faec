import { type DynamicModule, type LoggerService, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { BackgroundModule } from '../background/background.module';
import { ConfigModule } from '../config/config.module';
import { type Environment, readSettings } from '../config/environment';
import { DatabaseModule } from '../database/database.module';
import { GitModule } from '../git/git.module';
import { LimitsModule } from '../limits/limits.module';
import { SpaceModule } from '../space/space.module';
import { SpaceService } from '../space/space.service';
import { type Services } from '../services';
import { type CommandCall, CommandError, ExecutedByServiceError } from './command';
import { type DatabaseUse, withCurrentDatabase } from './database';
import { note } from './output';
import { connectToService, executeByService } from './socket/service-client';

/** The modules with the services that a command uses, and their dependencies; some are built from the settings. */
export type Modules = (environment: Environment) => (Type | DynamicModule)[];

/** Standard output belongs to the command's result. */
const LOGGER: LoggerService = {
  log: () => undefined,
  warn: (message: unknown) => note(String(message)),
  error: (message: unknown) => note(String(message)),
  fatal: (message: unknown) => note(String(message)),
};

/** The parts of the application that a command needs. */
@Module({})
class CommandModule {}

/**
 * Runs `work` with services of the application, on a migrated, non-empty database. The application is built but not started: it does not
 * listen, sends no webhooks and deletes nothing in the background. If a running service has the embedded database open, it executes a
 * command that writes: there, `work` gets its services.
 * @throws ExecutedByServiceError in the process of a command that the service has executed
 */
export async function withServices<T>(
  call: CommandCall,
  use: DatabaseUse,
  modules: Modules,
  work: (services: Services) => Promise<T>,
): Promise<T> {
  if (call.host) return work(call.host.services);
  const environment = readSettings();
  const service = use === 'writes' ? await connectToService(environment) : undefined;
  if (service) throw new ExecutedByServiceError(await executeByService(service, call.words, call.output));
  return withOwnServices(environment, use, modules, work);
}

/** Same, but only with services built in this process. */
export function withOwnServices<T>(
  environment: Environment,
  use: DatabaseUse,
  modules: Modules,
  work: (services: Services) => Promise<T>,
): Promise<T> {
  return withCurrentDatabase(environment, use, async (dataSource) => {
    const application = await NestFactory.create(
      {
        module: CommandModule,
        imports: [
          ConfigModule.forRoot(environment),
          DatabaseModule.forRoot(dataSource),
          BackgroundModule,
          LimitsModule,
          GitModule,
          SpaceModule,
          ...modules(environment),
        ],
      },
      { logger: LOGGER, abortOnError: false },
    );
    const services: Services = (type) => application.get(type, { strict: false });
    if (!(await services(SpaceService).exists(dataSource))) {
      throw new CommandError('The database is empty: start the service once.');
    }
    return work(services);
  });
}
