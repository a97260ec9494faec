import { configFor } from './vitest.config.mts';

/** `npm run fuzz`: many requests, and with `test/support/thoroughness.ts`, the suites that try more here. */
export default configFor({
  include: [
    'test/long/**/*.long-spec.ts',
    'src/backup/*.spec.ts',
    'src/database/sql/contains.spec.ts',
    'src/documents/editor/markdown.spec.ts',
    'src/http/request/*.spec.ts',
    'src/project-settings/fold-name.spec.ts',
    'src/users/dto/user-fields.spec.ts',
    'test/access/access.e2e-spec.ts',
  ],
  env: { THOROUGH_TESTS: 'true' },
  testTimeout: 900_000,
});
