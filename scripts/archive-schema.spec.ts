import { readFileSync } from 'node:fs';
import { ARCHIVE_SCHEMA, archiveSchema } from './support/archive-schema';

describe('npm run archive-schema', () => {
  it('has written the schema of archives', async () => {
    expect(
      readFileSync(ARCHIVE_SCHEMA, 'utf8'),
      `${ARCHIVE_SCHEMA} is stale: run npm run archive-schema and commit it.`,
    ).toBe(await archiveSchema());
  });
});
