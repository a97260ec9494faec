import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { LongFirstSequencer } from './test/support/long-first-sequencer.mts';
import { rowChecks } from './test/support/row-types/row-checks.mts';
import { UnreadRows } from './test/support/row-types/unread-rows.mts';
import { SlowestSuites } from './test/support/slowest-suites.mts';

const ROOT = import.meta.dirname;

/** The service's modules, but not the suites beside them. */
const SERVICE = new RegExp(
  String.raw`^${join(ROOT, 'src/').replaceAll(/[^\w/]/g, String.raw`\$&`)}.*(?<!\.spec)\.tsx?$`,
);

/** Returns the configuration of a run of these suites. */
export const configFor = (suites: ViteUserConfig['test']): ViteUserConfig =>
  defineConfig({
    plugins: [rowChecks()],
    test: {
      globals: true,
      // Only for what hangs: a busy machine takes ten times as long as an idle one.
      testTimeout: 120_000,
      hookTimeout: 120_000,
      // The suites of a worker share its modules, because loading them takes longer than many suites. What Vitest compiles is kept
      // for the next run.
      isolate: false,
      // Workers load the service as plain Node does: Vite takes much longer to compile it.
      server: { deps: { external: [SERVICE] } },
      experimental: { fsModuleCache: true },
      // Much of a suite waits: for the database, for processes, for deadlines.
      maxWorkers: Math.max(4, availableParallelism()),
      // The threads that the service starts inherit these arguments.
      execArgv: [
        '--require',
        join(ROOT, 'test/support/suite-hook.cjs'),
        '--disable-warning=ExperimentalWarning',
        // The many short-lived objects otherwise cost a seventh of the time.
        '--min-semi-space-size=16',
        '--max-semi-space-size=32',
        // 150 to 300 MB of a worker with the service stay alive: collecting all of it whenever it grew by half took a twentieth of the time.
        '--initial-old-space-size=512',
        // More workers than processors already compute: V8's helping threads would only interrupt them.
        '--single-threaded',
      ],
      globalSetup: ['test/support/global-setup.ts'],
      setupFiles: [
        'test/support/source-lines.ts',
        'test/support/check-statements.ts',
        'test/support/row-types/check-rows.ts',
        // The nodes of a cluster assign ids in steps anyway.
        ...(/^[^,]+$/.test(process.env.TEST_DATABASE_URL ?? '') ? ['test/support/stepping-ids.ts'] : []),
      ],
      sequence: { sequencer: LongFirstSequencer },
      reporters: [['default', { summary: false }], new SlowestSuites(), new UnreadRows()],
      ...suites,
    },
  });

/** The suites that use a database, which are all that a run on a server needs. */
const ON_SERVERS = {
  include: [
    'src/attachments/attachments.service.spec.ts',
    'src/database/**/*.spec.ts',
    'test/!(support)/**/*.{spec,e2e-spec}.ts',
  ],
  // The embedded database, sources of imports, connections, the forms of requests, what a browser shows, and the types of clients.
  exclude: [
    'src/database/sqlite/**',
    'test/sources/**',
    'test/http/{connections,cors,request-forms,request-streams,tls}.e2e-spec.ts',
    'test/clients/swagger-ui.e2e-spec.ts',
    'test/identity-providers/certified-provider.e2e-spec.ts',
    'test/second-factors/passkey-pages.e2e-spec.ts',
    'test/sign-in/{accessible,account}-pages.e2e-spec.ts',
    'test/openapi/generated-client.e2e-spec.ts',
  ],
};

/** `npm test` */
export default configFor(
  process.env.TEST_DATABASE_URL
    ? ON_SERVERS
    : {
        include: [
          'src/**/*.spec.ts',
          'bench/**/*.spec.ts',
          'scripts/**/*.spec.ts',
          'test/**/*.spec.ts',
          'test/**/*.e2e-spec.ts',
        ],
      },
);
