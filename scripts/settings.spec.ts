import { readFileSync } from 'node:fs';
import { settingsDocuments } from './support/settings-documents';

describe('npm run settings', () => {
  it.each(Object.entries(settingsDocuments()))('has written %s', (path, text) => {
    expect(readFileSync(path, 'utf8'), `${path} is stale: run npm run settings and commit it.`).toBe(text);
  });
});
