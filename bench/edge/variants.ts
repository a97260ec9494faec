import { type DynamicModule, type Provider, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { Logger } from 'nestjs-pino';
import { entities } from '../../src/app.entities';
import { AppModule } from '../../src/app.module';
import { setPrefix } from '../../src/app.setup';
import { type Environment } from '../../src/config/environment';
import { createDataSource } from '../../src/database/connections/data-source';
import { limitStatements } from '../../src/database/connections/statement-limit';
import { encryptionKeys } from '../../src/encryption/encryption-keys';
import { RequestDtoPipe } from '../../src/http/request/request-dto.pipe';
import { RequestReaderGuard } from '../../src/http/request/request-reader.guard';
import { ResponseHeadersMiddleware } from '../../src/http/response/response-headers.middleware';
import { createLogger } from '../../src/logging/logger';
import { type Idiom } from './idioms';
import { PageInterceptor, usualAdapter } from './usual-adapter';

/**
 * Builds the application as `src/app.setup.ts` does, on a migrated database and without the documentation, and restores the idioms.
 * Without idioms it equals the service.
 */
export async function createVariant(
  environment: Environment,
  idioms: ReadonlySet<Idiom>,
): Promise<NestExpressApplication> {
  const dataSource = createDataSource(environment, entities);
  // Uncovers TypeORM's own method, which `useDirectReads` replaces on this instance.
  if (idioms.has('runner')) Reflect.deleteProperty(dataSource, 'query');
  await dataSource.initialize();
  limitStatements(dataSource, environment.DATABASE_STATEMENT_TIMEOUT);
  const service = AppModule.forRoot(
    environment,
    encryptionKeys(environment).keys,
    dataSource,
    createLogger(environment),
  );
  const isUsualReading = idioms.has('reading');
  const app = await NestFactory.create<NestExpressApplication>(
    isUsualReading ? withoutReader(service) : service,
    usualAdapter(environment, idioms),
    { bodyParser: isUsualReading, abortOnError: false, logger: ['fatal', 'error', 'warn'] },
  );
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', isUsualReading ? 'simple' : false);
  const middleware = app.get(ResponseHeadersMiddleware);
  app.use(middleware.use.bind(middleware));
  setPrefix(app, environment);
  if (isUsualReading) app.useGlobalPipes(usualPipe());
  if (idioms.has('reply')) app.useGlobalInterceptors(new PageInterceptor());
  await app.init();
  app.useLogger(app.get(Logger));
  return app;
}

const usualPipe = (): ValidationPipe =>
  new ValidationPipe({
    transform: true,
    transformOptions: { enableImplicitConversion: true, exposeUnsetFields: false },
    whitelist: true,
    forbidNonWhitelisted: true,
  });

const READERS: readonly unknown[] = [RequestReaderGuard, RequestDtoPipe];

const withoutReader = (module: DynamicModule): DynamicModule => ({
  ...module,
  providers: module.providers?.filter((provider: Provider) => {
    return !('useClass' in provider && READERS.includes(provider.useClass));
  }),
});
