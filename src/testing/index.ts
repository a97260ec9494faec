import { randomBytes } from 'node:crypto';
import { type AddressInfo, type Server } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type INestApplication } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { createApplication } from '../app.setup';
import { type Environment, readEnvironment } from '../config/environment';
import { FirstStartService } from '../first-start/first-start.service';
import { type ServiceAdapter } from '../http/server/service-adapter';
import { generateApiKey } from '../users/api-key';
import { type Fault, type InjectedFault } from './fault';
import { FaultInjection } from './fault-injection';
import { type FaultTarget } from './fault-target';

export type { Fault, FaultCode, InjectedFault } from './fault';
export type { FaultTarget } from './fault-target';

/** Options of a test server. By default it has an embedded in-memory database, with the demo project. */
export interface TestServerOptions {
  /** The `DATABASE_URL` of an empty database. Default: an embedded one that disappears with the server. */
  database?: string;
  /** Whether to create the project `DEMO`. Default: true. */
  demo?: boolean;
  /**
   * Whether git repositories can be cloned and pushed to, and pull requests are merged; requires git on the machine. Default:
   * false; any branch name is then valid, regardless of the machine.
   */
  git?: boolean;
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
  /**
   * Makes the next matching requests fail or delays them, to test conditions that are hard to provoke. Of several matching
   * faults, the oldest applies.
   * @throws TypeError, RangeError for an invalid fault, and for a target that no request can match, such as a misspelt path
   */
  answerNext: (target: FaultTarget, fault: Fault) => InjectedFault;
  /** Returns the faults that still wait for requests, oldest first. */
  unansweredFaults: () => InjectedFault[];
  /** Stops the server, cancels its faults, and removes its stored files. */
  close: () => Promise<void>;
}

const NO_GIT = '/nonexistent/git';

/** Starts the service in this process on a free port, for tests of clients and of the service itself. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { database = 'sqlite::memory:', demo = true, git = false } = options;
  const files = await mkdtemp(join(tmpdir(), 'project-management-files-'));
  const removeFiles = (): Promise<void> => rm(files, { recursive: true, force: true });
  let app: INestApplication | undefined;
  try {
    const adminKey = generateApiKey();
    const environment = readEnvironment({
      PORT: '0',
      LOG_LEVEL: 'silent',
      DATABASE_URL: database,
      STORAGE_URL: `file:${join(files, 'files')}`,
      GIT_ROOT: join(files, 'git'),
      IMPORT_ROOT: join(files, 'imports'),
      ...(!git && { GIT_PATH: NO_GIT }),
      ADMIN_API_KEY: adminKey,
      DEMO_DATA: String(demo),
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      // A test suite uses many clients on one address, tries wrong keys, and sends more requests per minute than users do.
      RATE_LIMIT: 'off',
      MAX_UNAUTHENTICATED_CONNECTIONS: '0',
      MAX_FAILED_KEYS: '0',
      ...options.environment,
    });
    const faults = new FaultInjection(environment);
    app = await createApplication(environment, faults.use);
    await app.get(FirstStartService).run();
    await app.listen(environment.PORT, environment.HOST);
    return running(app, environment, { adminKey, faults, removeFiles });
  } catch (error) {
    await app?.close();
    await removeFiles();
    throw error;
  }
}

function running(
  app: INestApplication,
  { scheme, HOST, BASE_PATH }: Environment,
  {
    adminKey,
    faults,
    removeFiles,
  }: { adminKey: string; faults: FaultInjection; removeFiles: () => Promise<void> },
): TestServer {
  const { routes } = app.get(HttpAdapterHost<ServiceAdapter>).httpAdapter;
  const { port } = (app.getHttpServer() as Server).address() as AddressInfo;
  return {
    baseUrl: `${scheme}://${HOST}:${port}${BASE_PATH === '/' ? '' : BASE_PATH}`,
    adminKey,
    app,
    answerNext: (target, fault) => faults.add(target, fault, routes.paths),
    unansweredFaults: () => faults.unanswered(),
    close: async () => {
      faults.clear();
      await app.close();
      await removeFiles();
    },
  };
}
