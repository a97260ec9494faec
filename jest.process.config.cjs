/**
 * `npm run test:processes`: the suites that start, stop and kill processes of the service, start it many times, or work with git.
 * @type {import('jest').Config}
 */
module.exports = {
  ...require('./jest.config.cjs'),
  testMatch: ['<rootDir>/test/**/*.process-spec.ts'],
};
