import { writeFileSync } from 'node:fs';
import { settingsDocuments } from './support/settings-documents';

for (const [path, text] of Object.entries(settingsDocuments())) {
  writeFileSync(path, text);
  console.log(`Wrote ${path}`);
}
