process.env.THOROUGH_TESTS = 'true';

/** `npm run fuzz`: many requests, and with `test/support/thoroughness.ts`, the suites that try more here. @type {import('jest').Config} */
module.exports = {
  ...require('./jest.config.cjs'),
  testMatch: [
    '<rootDir>/test/long/**/*.long-spec.ts',
    '<rootDir>/src/database/contains.spec.ts',
    '<rootDir>/src/http/request/*.spec.ts',
    '<rootDir>/src/project-settings/fold-name.spec.ts',
    '<rootDir>/src/users/dto/user-fields.spec.ts',
    '<rootDir>/test/access/access.e2e-spec.ts',
  ],
  testTimeout: 900_000,
};
