import { readFileSync } from 'node:fs';
import { ARCHIVE_FINGERPRINT } from '../src/archives/archive-format';
import { ARCHIVE_SCHEMA, archiveFingerprint, archiveSchema } from './support/archive-schema';

describe('npm run archive-schema', () => {
  it('has written the schema of archives', async () => {
    expect(
      readFileSync(ARCHIVE_SCHEMA, 'utf8'),
      `${ARCHIVE_SCHEMA} is stale: run npm run archive-schema and commit it.`,
    ).toBe(await archiveSchema());
  });

  it('describes the records of the format that archives name', async () => {
    expect(
      await archiveFingerprint(),
      'The records of archives have changed: see ARCHIVE_FINGERPRINT in src/archives/archive-format.ts.',
    ).toBe(ARCHIVE_FINGERPRINT);
  });
});
