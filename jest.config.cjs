const { availableParallelism } = require('node:os');

/** @type {import('jest').Config} */
module.exports = {
  testMatch: [
    '<rootDir>/src/**/*.spec.ts',
    '<rootDir>/bench/**/*.spec.ts',
    '<rootDir>/scripts/**/*.spec.ts',
    '<rootDir>/test/**/*.e2e-spec.ts',
  ],
  testTimeout: 30_000,
  testEnvironment: '<rootDir>/test/support/shared-context-environment.cjs',
  runtime: '<rootDir>/test/support/shared-packages-runtime.cjs',
  // Decorators and their classes stay in the packages that all suites of a worker share.
  workerIdleMemoryLimit: '1GB',
  // Much of a suite waits: for the database, for processes, for deadlines.
  maxWorkers: Math.max(4, availableParallelism()),
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  setupFiles: [
    '<rootDir>/test/support/typescript-threads.cjs',
    ...(process.env.TEST_DATABASE_URL ? ['<rootDir>/test/support/stepping-ids.ts'] : []),
  ],
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
