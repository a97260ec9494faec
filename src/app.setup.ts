import { HttpStatus, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { SwaggerModule } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { Logger } from 'nestjs-pino';
import { entities } from './app.entities';
import { AppModule } from './app.module';
import { type Environment } from './config/environment';
import { createDataSource } from './database/data-source';
import { migrateDatabase } from './database/migrate';
import { encryptionKeys } from './encryption/encryption-keys';
import { CommonMiddleware, DOCUMENTATION_PATH } from './http/middleware';
import { ServiceAdapter } from './http/service-adapter';
import { createOpenApiDocument } from './openapi/document';

const HEADERS_TIMEOUT_MS = 10_000;
/** Uploads included. */
const REQUEST_TIMEOUT_MS = 300_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/**
 * Connects to the database, migrates it, and builds the application as `main.ts` and the tests run it. It does not listen
 * yet.
 */
export async function createApplication(environment: Environment): Promise<NestExpressApplication> {
  const keys = encryptionKeys(environment);
  const dataSource = createDataSource(environment, entities);
  await dataSource.initialize();
  try {
    await migrateDatabase(dataSource);
    const app = await NestFactory.create<NestExpressApplication>(
      AppModule.forRoot(environment, keys, dataSource),
      new ServiceAdapter(environment.PUBLIC_URL),
      {
        // The second guard reads bodies.
        bodyParser: false,
        abortOnError: false,
        // Until the application's own logger takes over, what the framework says of its modules and routes is left out.
        logger: ['fatal', 'error', 'warn'],
      },
    );
    configure(app, environment);
    await app.init();
    app.useLogger(app.get(Logger));
    return app;
  } catch (error) {
    if (dataSource.isInitialized) await dataSource.destroy();
    throw error;
  }
}

function configure(app: NestExpressApplication, environment: Environment): void {
  app.enableShutdownHooks();
  app.disable('x-powered-by');
  app.disable('etag');
  // The second guard reads query strings as well.
  app.set('query parser', false);
  const middleware = app.get(CommonMiddleware);
  app.use(middleware.use.bind(middleware));
  app.setGlobalPrefix(environment.BASE_PATH, { exclude: ['health/live', 'health/ready'] });
  serveDocumentation(app);
  const server = app.getHttpServer();
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
}

function serveDocumentation(app: INestApplication): void {
  // Made at the first look: it would take a third of the start.
  SwaggerModule.setup(DOCUMENTATION_PATH, app, () => createOpenApiDocument(app), {
    jsonDocumentUrl: 'api-docs-json',
    yamlDocumentUrl: 'api-docs-yaml',
    customSiteTitle: 'Project Management Service',
    // A hundred operations at once are slow to show and hard to look through.
    swaggerOptions: {
      persistAuthorization: true,
      docExpansion: 'none',
      defaultModelsExpandDepth: 0,
      plugins: [idInputs],
    },
  });
  // For who opens the service's address in a browser; relative, because a proxy may put a path in front.
  app.getHttpAdapter().get('/', (_request: Request, response: Response) => {
    response.redirect(HttpStatus.FOUND, `.${DOCUMENTATION_PATH}`);
  });
}

interface SwaggerUi {
  React: { createElement(component: unknown, properties: object): unknown };
  getComponent(name: string): unknown;
}

/** Runs in the browser, as its text: a list of ids is typed in as other lists are, instead of a warning for each. */
const idInputs = (ui: SwaggerUi): object => {
  const input = (properties: object): unknown =>
    ui.React.createElement(ui.getComponent('JsonSchema_string'), properties);
  return { components: { JsonSchema_integer_int32: input, JsonSchema_integer_int64: input } };
};
