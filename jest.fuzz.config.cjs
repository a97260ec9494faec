/** `npm run fuzz`. @type {import('jest').Config} */
module.exports = {
  ...require('./jest.config.cjs'),
  testMatch: ['<rootDir>/test/long/**/*.long-spec.ts'],
  testTimeout: 900_000,
};
