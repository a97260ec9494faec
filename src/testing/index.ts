import { randomBytes } from 'node:crypto';
import { type AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type INestApplication } from '@nestjs/common';
import { createApplication } from '../app.setup';
import { readEnvironment } from '../config/environment';
import { FirstStartService } from '../first-start/first-start.service';
import { generateApiKey } from '../users/api-key';

/** Options of a test server. By default it has an embedded database in memory, with the demo project. */
export interface TestServerOptions {
  /** The `DATABASE_URL` of an empty database. Default: an embedded one that disappears with the server. */
  database?: string;
  /** Whether to create the project `DEMO`. Default: true. */
  demo?: boolean;
  /** Other settings, as environment variables. */
  environment?: Record<string, string>;
}

/** A running server. */
export interface TestServer {
  /** Base address of all operations, such as `http://127.0.0.1:41234/api/v2`. */
  baseUrl: string;
  /** API key of the administrator. */
  adminKey: string;
  /** The application, for tests that need more than HTTP. */
  app: INestApplication;
  /** Stops the server and removes its stored files. */
  close: () => Promise<void>;
}

/** Starts the service in this process on a free port, for tests of clients and of the service itself. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { database = 'sqlite::memory:', demo = true } = options;
  const files = await mkdtemp(join(tmpdir(), 'project-management-files-'));
  const adminKey = generateApiKey();
  const environment = readEnvironment({
    PORT: '0',
    LOG_LEVEL: 'silent',
    DATABASE_URL: database,
    STORAGE_URL: `file:${files}`,
    ADMIN_API_KEY: adminKey,
    DEMO_DATA: String(demo),
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    // A test suite has many clients on one address, and tries wrong keys.
    MAX_UNAUTHENTICATED_CONNECTIONS: '0',
    MAX_FAILED_KEYS: '0',
    ...options.environment,
  });
  const app = await createApplication(environment);
  await app.get(FirstStartService).run();
  await app.listen(environment.PORT, environment.HOST);
  const { port } = app.getHttpServer().address() as AddressInfo;
  return {
    baseUrl: `http://${environment.HOST}:${port}${environment.BASE_PATH === '/' ? '' : environment.BASE_PATH}`,
    adminKey,
    app,
    close: async () => {
      await app.close();
      await rm(files, { recursive: true, force: true });
    },
  };
}
