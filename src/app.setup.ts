import { HttpStatus, type INestApplication, Logger as NestLogger, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { SwaggerModule } from '@nestjs/swagger';
import { type Request, type RequestHandler, type Response } from 'express';
import { Logger } from 'nestjs-pino';
import { type Logger as PinoLogger } from 'pino';
import { type DataSource } from 'typeorm';
import { entities } from './app.entities';
import { AppModule } from './app.module';
import { type Environment, EnvironmentError } from './config/environment';
import { shownSettings } from './config/shown-settings';
import { VERSION } from './config/version';
import { createDataSource } from './database/connections/data-source';
import { describeEngine } from './database/connections/engine';
import { migrateDatabase } from './database/migrating/migrate';
import { startWithServers } from './database/connections/start-with-servers';
import { TransactionsService } from './database/transactions/transactions.service';
import { limitStatements } from './database/connections/statement-limit';
import { type EncryptionKeys, encryptionKeys } from './encryption/encryption-keys';
import { EncryptionService } from './encryption/encryption.service';
import { GIT_ADDRESSES } from './git-repositories/serving/git-serving.controller';
import { DOCUMENTATION_PATH, ResponseHeadersMiddleware } from './http/response/response-headers.middleware';
import { refuseBody } from './http/request/request-body';
import { corsOptions } from './http/server/cors';
import { refuseSeveralHosts } from './http/server/hosts';
import { ServiceAdapter } from './http/server/service-adapter';
import { AddressLimitsService } from './limits/address-limits.service';
import { GitModule } from './git/git.module';
import { GitFoldersService } from './git-repositories/storage/git-folders.service';
import { createLogger } from './logging/logger';
import { AllowedAddressesService } from './limits/allowed-addresses.service';
import { MCP_PATH } from './mcp/mcp.controller';
import { IdentityProviderRepository } from './identity-providers/data/identity-provider.repository';
import { McpModule } from './mcp/mcp.module';
import { PAGE_PATHS } from './pages/page-paths';
import { createOpenApiDocument } from './openapi/document';
import { withCachedPages } from './openapi/cached-pages';
import { reencryptAllSecrets, type ReencryptedInAll } from './stored-secrets';
import { describeReplaced } from './webhooks/secrets/stored-secrets';

/**
 * Connects to the database, migrates it, and builds the application as used by `main.ts` and the tests, without listening.
 * @param middleware for tests: receives every admitted request before its route does
 */
export async function createApplication(
  environment: Environment,
  middleware?: RequestHandler,
): Promise<NestExpressApplication> {
  const keys = encryptionKeys(environment);
  const logger = createLogger(environment);
  return startWithServers(
    environment.DATABASE_URL,
    () => buildApplication(environment, keys, logger, middleware),
    (line) => logger.warn(line),
  );
}

/** Leaves nothing open when it fails. */
async function buildApplication(
  environment: Environment,
  { keys, place, keep }: EncryptionKeys,
  logger: PinoLogger,
  middleware: RequestHandler | undefined,
): Promise<NestExpressApplication> {
  const adapter = new ServiceAdapter(environment);
  const dataSource = createDataSource(environment, entities);
  let app: NestExpressApplication | undefined;
  await dataSource.initialize();
  try {
    const migrations = await migrateDatabase(dataSource, { log: (line) => logger.info(line) });
    logger.info(
      {
        version: VERSION,
        node: process.version,
        database: await describeEngine(dataSource),
        migrations,
        settings: shownSettings(environment),
      },
      'Starting',
    );
    const secrets = await reencryptAllSecrets(
      dataSource,
      new TransactionsService(dataSource),
      new EncryptionService(keys),
      { place, isLostReplaced: environment.REPLACE_LOST_SECRETS },
    );
    keep();
    await requireWayIn(dataSource, environment);
    limitStatements(dataSource, environment.DATABASE_STATEMENT_TIMEOUT);
    app = await NestFactory.create<NestExpressApplication>(
      AppModule.forRoot(environment, keys, dataSource, logger, await optionalModules(environment)),
      adapter,
      {
        // The second guard reads bodies.
        bodyParser: false,
        abortOnError: false,
        // Until the application's own logger takes over, the framework's messages about modules and routes are suppressed.
        logger: ['fatal', 'error', 'warn'],
      },
    );
    app.get(GitModule).begin();
    configure(app, environment, middleware);
    await app.init();
    app.useLogger(app.get(Logger));
    report(secrets);
    await app.get(GitModule).report();
    await app.get(GitFoldersService).begin();
    warnIfExpired(adapter);
    return app;
  } catch (error) {
    // Errors of the cleanup matter less than the original error.
    await app?.close().catch(() => undefined);
    if (dataSource.isInitialized) await dataSource.destroy();
    throw error;
  }
}

/** Modules that are loaded, with their packages, only when enabled in the settings. */
async function optionalModules({ hasMetrics, MCP }: Environment): Promise<Type[]> {
  const modules: Type[] = [];
  if (hasMetrics) modules.push((await import('./metrics/metrics.module.ts')).MetricsModule);
  if (MCP) modules.push(McpModule);
  return modules;
}

/** @throws EnvironmentError if users can sign in neither with passwords nor with an identity provider */
async function requireWayIn(dataSource: DataSource, { PASSWORD_SIGN_IN }: Environment): Promise<void> {
  if (PASSWORD_SIGN_IN || (await new IdentityProviderRepository(dataSource).countUsable()) > 0) return;
  throw new EnvironmentError([
    'PASSWORD_SIGN_IN is off, but no identity provider is enabled, so that nobody could sign in: set it to on, add a provider with ' +
      'pms sso add, and check it with pms sso test',
  ]);
}

function report(secrets: ReencryptedInAll): void {
  const { reencrypted, replaced, apps, providers } = secrets;
  const logger = new NestLogger('EncryptionKeys');
  if (reencrypted > 0) logger.log(`Secrets of webhooks re-encrypted with the first key: ${reencrypted}`);
  if (replaced > 0)
    logger.warn(`Secrets of webhooks discarded because their keys are lost: ${replaced}; they get new ones`);
  if (apps.reencrypted > 0) {
    logger.log(`Secrets of authenticator apps re-encrypted with the first key: ${apps.reencrypted}`);
  }
  if (apps.lost > 0) {
    logger.warn(
      `Secrets of authenticator apps discarded because their keys are lost: ${apps.lost}; their users need recovery codes`,
    );
  }
  if (providers.reencrypted > 0) {
    logger.log(
      `Client secrets of identity providers re-encrypted with the first key: ${providers.reencrypted}`,
    );
  }
  if (providers.lost > 0) {
    logger.warn(
      `Client secrets of identity providers discarded because their keys are lost: ${providers.lost}; enter them again`,
    );
  }
  for (const names of describeReplaced(secrets)) logger.warn(`Webhooks with a new secret: ${names}`);
}

function warnIfExpired({ certificate }: ServiceAdapter): void {
  if (!certificate || certificate.validTo.getTime() > Date.now()) return;
  new NestLogger('Certificate').warn({ validTo: certificate.validTo }, 'The certificate has expired');
}

function configure(
  app: NestExpressApplication,
  environment: Environment,
  ofTests: RequestHandler | undefined,
): void {
  app.disable('x-powered-by');
  app.disable('etag');
  // The second guard also reads query strings.
  app.set('query parser', false);
  app.set('trust proxy', environment.TRUST_PROXY);
  const middleware = app.get(ResponseHeadersMiddleware);
  app.use(middleware.use.bind(middleware));
  // Before anything that refuses a request, so that a web page can read the reason.
  if (environment.CORS_ORIGINS.length > 0) app.enableCors(corsOptions(environment.CORS_ORIGINS));
  app.use(refuseSeveralHosts);
  if (environment.ALLOWED_ADDRESSES.length > 0) app.use(app.get(AllowedAddressesService).use);
  if (environment.TRUST_PROXY !== 0) app.use(app.get(AddressLimitsService).use);
  if (ofTests) app.use(ofTests);
  setPrefix(app, environment);
  serveDocumentation(app);
}

/** Puts the operations of the API below `BASE_PATH`, and leaves everything else where it is. */
export function setPrefix(app: INestApplication, { BASE_PATH }: Environment): void {
  app.setGlobalPrefix(BASE_PATH, {
    exclude: ['health/live', 'health/ready', MCP_PATH, ...GIT_ADDRESSES, ...PAGE_PATHS],
  });
}

function serveDocumentation(app: INestApplication): void {
  // Generated on first access, because it would take a third of the startup time.
  SwaggerModule.setup(DOCUMENTATION_PATH, withCachedPages(app), () => createOpenApiDocument(app), {
    jsonDocumentUrl: 'api-docs-json',
    yamlDocumentUrl: 'api-docs-yaml',
    customSiteTitle: 'Project Management Service',
    // A hundred expanded operations are slow to render and hard to scan.
    swaggerOptions: {
      persistAuthorization: true,
      docExpansion: 'none',
      defaultModelsExpandDepth: 0,
      plugins: [idListInputs],
    },
  });
  // For users who open the service's address in a browser; relative, because a proxy may add a path prefix.
  app.getHttpAdapter().get('/', (request: Request, response: Response) => {
    refuseBody(request);
    response.redirect(HttpStatus.FOUND, `.${DOCUMENTATION_PATH}`);
  });
}

interface SwaggerUi {
  React: { createElement(component: unknown, properties: object): unknown };
  getComponent(name: string): unknown;
}

/** Runs in the browser, from its source text: renders a list of ids like other lists, instead of a warning for each item. */
const idListInputs = (ui: SwaggerUi): object => {
  const input = (properties: object): unknown =>
    ui.React.createElement(ui.getComponent('JsonSchema_string'), properties);
  return { components: { JsonSchema_integer_int32: input, JsonSchema_integer_int64: input } };
};
