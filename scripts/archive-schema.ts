import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { ARCHIVE_SCHEMA, archiveSchema } from './support/archive-schema';

void archiveSchema().then((text) => {
  writeFileSync(ARCHIVE_SCHEMA, text);
  console.log(`Wrote ${ARCHIVE_SCHEMA}`);
});
