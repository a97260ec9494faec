import fc from 'fast-check';
import { type DataSource } from 'typeorm';
import { createTestDatabase } from '../../test/support/database';
import { contains } from './contains';
import { createDataSource } from './data-source';

describe('texts that contain a word', () => {
  let dataSource: DataSource;
  let drop: () => Promise<void>;

  beforeAll(async () => {
    const database = await createTestDatabase();
    ({ drop } = database);
    dataSource = await createDataSource(
      { DATABASE_URL: database.url ?? 'sqlite::memory:', DATABASE_POOL_SIZE: 1 },
      [],
    ).initialize();
    const type = dataSource.options.type === 'better-sqlite3' ? 'text' : 'mediumtext COLLATE utf8mb4_bin';
    await dataSource.query(`CREATE TABLE written (content ${type} NOT NULL)`);
  });
  afterAll(async () => {
    await dataSource.destroy();
    await drop();
  });

  async function isFound(text: string, word: string): Promise<boolean> {
    await dataSource.query('DELETE FROM written');
    await dataSource.query('INSERT INTO written (content) VALUES (?)', [text]);
    const { sql, parameter } = contains(dataSource, 'content', word);
    return (await dataSource.query<unknown[]>(`SELECT 1 FROM written WHERE ${sql}`, [parameter])).length > 0;
  }

  it.each([
    ['The Loop ends', 'loop'],
    ['The loop ends', 'LOOP'],
    ['Interloper', 'lop'],
    ['GRÖẞE und größe', 'Größe'],
    ['ÜBER', 'über'],
    ['über', 'ÜBER'],
    ['вКонтакте', 'ВКОНТАКТЕ'],
    ['ΟΔΟΣ', 'ΟΔΟΣ'],
    ['οδος', 'οδος'],
    ['ΟΔΟΣ ΟΔΟΣ', 'οδοσ'],
    ['課題を追加', '課題'],
    ['100% done_', '0% D'],
    ['100% done_', 'e_'],
    ['what!', 'T!'],
    ['back\\slash', '\\S'],
    ["it's", "IT'S"],
    ['Ship 🚀 it', '🚀'],
    ['The Interoperability Layer', 'INTEROPERABILITY'],
    ['Say 100%_of_it!back\\slash', '%_OF_IT!BACK\\SLASH'],
    ['Interoperability 課題🚀', 'INTEROPERABILITY 課題🚀'],
    ['ΟΔΟΣ, Interoperability', 'οδοσ, INTEROPERABILITY'],
  ])('are found: %j has %j', async (text, word) => {
    expect(await isFound(text, word)).toBe(true);
  });

  it.each([
    ['The loop ends', 'loops'],
    ['100 done', '%'],
    ['done', 'd_ne'],
    ['über', 'uber'],
    ['', 'a'],
    ['課題', '题'],
    ['The Interoperability Layer', 'interoperability_layer'],
    ['The Interoperability Layer', 'The Interop%Layer'],
    ['Interoperabílity', 'interoperability'],
  ])('are not taken for others: %j has no %j', async (text, word) => {
    expect(await isFound(text, word)).toBe(false);
  });

  it('are none when they are nothing', async () => {
    for (const word of ['a', 'ä', '%', 'a'.repeat(20)]) {
      const { sql, parameter } = contains(dataSource, 'content', word);
      const rows = await dataSource.query(`SELECT 1 FROM (SELECT NULL AS content) t WHERE ${sql}`, [
        parameter,
      ]);
      expect(rows).toEqual([]);
    }
  });

  it('are not looked for with LIKE for a long word, which would take as long as the word times the text', () => {
    expect(contains(dataSource, 'content', `${'a'.repeat(254)}b`).sql).not.toContain('LIKE');
  });

  it('are found by any part of theirs', async () => {
    const texts = fc.string({ unit: fc.constantFrom(...'aZ%_!\\\'" ÄöЖ題🚀'), minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(texts, fc.nat(), fc.nat(), async (text, from, length) => {
        const letters = [...text];
        const start = from % letters.length;
        const part = letters.slice(start, start + 1 + (length % letters.length)).join('');
        expect(await isFound(text, part)).toBe(true);
        expect(await isFound(text.toUpperCase(), part.toLowerCase())).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});
