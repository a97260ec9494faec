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
import { CommandError } from './command';
import { type DatabaseUse, withCurrentDatabase } from './database';
import { note } from './output';

/** Finds services of the application by their class. */
export type Services = <Service>(type: Type<Service>) => Service;

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
 * listen, sends no webhooks and deletes nothing in the background.
 */
export function withServices<T>(
  use: DatabaseUse,
  modules: Modules,
  work: (services: Services) => Promise<T>,
): Promise<T> {
  const environment = readSettings();
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
