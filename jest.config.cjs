const { availableParallelism } = require('node:os');

/** The suites that need no database, which a run on a server has no use for. */
const WITHOUT_DATABASE = ['/bench/', '/scripts/', '/src/(?!attachments/|database/)'];
const ignored = process.env.TEST_DATABASE_URL ? WITHOUT_DATABASE : [];

/** @type {import('jest').Config} */
module.exports = {
  testMatch: [
    '<rootDir>/src/**/*.spec.ts',
    '<rootDir>/bench/**/*.spec.ts',
    '<rootDir>/scripts/**/*.spec.ts',
    '<rootDir>/test/**/*.e2e-spec.ts',
  ],
  testPathIgnorePatterns: ['/node_modules/', ...ignored.map((path) => `<rootDir>${path}`)],
  testTimeout: 60_000,
  testEnvironment: '<rootDir>/test/support/shared-context-environment.cjs',
  runtime: '<rootDir>/test/support/shared-modules-runtime.cjs',
  testSequencer: '<rootDir>/test/support/long-first-sequencer.cjs',
  workerIdleMemoryLimit: '1GB',
  // Much of a suite waits: for the database, for processes, for deadlines.
  maxWorkers: Math.max(4, availableParallelism()),
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  setupFiles: [
    '<rootDir>/test/support/typescript-threads.cjs',
    // The nodes of a cluster give ids in steps without being asked.
    ...(/^[^,]+$/.test(process.env.TEST_DATABASE_URL ?? '')
      ? ['<rootDir>/test/support/stepping-ids.ts']
      : []),
  ],
  setupFilesAfterEnv: ['<rootDir>/test/support/check-statements.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
          target: 'es2022',
          keepClassNames: true,
        },
        module: { type: 'commonjs' },
      },
    ],
  },
};
