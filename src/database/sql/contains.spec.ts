import fc from 'fast-check';
import { type DataSource } from 'typeorm';
import { createTestDatabase } from '../../../test/support/database';
import { contains, foldLetter } from './contains';
import { createDataSource } from '../connections/data-source';
import { keywordSearchRunner } from '../search/searches';
import { type StatementRunner } from './statements';
import { LETTER_STEP } from '../../../test/support/thoroughness';

describe('contains', () => {
  let dataSource: DataSource;
  let searches: StatementRunner;
  let drop: () => Promise<void>;

  beforeAll(async () => {
    const database = await createTestDatabase();
    ({ drop } = database);
    dataSource = await createDataSource(
      { DATABASE_URL: database.url ?? 'sqlite::memory:', DATABASE_POOL_SIZE: 1 },
      [],
    ).initialize();
    searches = keywordSearchRunner(dataSource, { userId: 1, signal: new AbortController().signal });
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
    return (await searches.query<unknown[]>(`SELECT 1 FROM written WHERE ${sql}`, [parameter])).length > 0;
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
  ])('finds a match in %j for the word %j', async (text, word) => {
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
  ])('finds no match in %j for the word %j', async (text, word) => {
    expect(await isFound(text, word)).toBe(false);
  });

  it('finds no match in NULL', async () => {
    for (const word of ['a', 'ä', '%', 'a'.repeat(20)]) {
      const { sql, parameter } = contains(dataSource, 'content', word);
      // MySQL treats a plain NULL as binary, which its REGEXP rejects.
      const nothing = 'SELECT CAST(NULL AS CHAR) AS content';
      const rows = await searches.query(`SELECT 1 FROM (${nothing}) t WHERE ${sql}`, [parameter]);
      expect(rows).toEqual([]);
    }
  });

  it('avoids LIKE for a long word', () => {
    expect(contains(dataSource, 'content', `${'a'.repeat(254)}b`).sql).not.toContain('LIKE');
  });

  it('finds a text by any part of it, regardless of case', async () => {
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

  it.each([
    ['İstanbul', 'İSTANBUL', true],
    ['İstanbul', 'istanbul', false],
    ['İstanbul', 'stanbul', true],
    ['STRAẞE', 'straße', true],
    ['straße', 'STRAẞE', true],
    ['ᲐᲑᲒ', 'აბგ', true],
    ['აბგ', 'ᲐᲑᲒ', true],
    ['𐐀𐐁', '𐐨𐐩', true],
    ['𐐨𐐩', '𐐀𐐁', true],
    ['300 \u212a', '300 k', false],
    ['300 k', '300 \u212a', false],
    ['300 \u212a', '\u212a', true],
    ['Ångström', '\u212bNGSTRÖM', true],
    ['ǅ', 'Ǆ', true],
  ])('decides letter by letter whether %j contains %j: %j', async (text, word, expected) => {
    expect(await isFound(text, word)).toBe(expected);
  });

  it('folds each letter to one letter, and only ASCII letters to ASCII', () => {
    for (const letter of lettersWithCase()) {
      const folded = foldLetter(letter);
      expect([letter, Array.from(folded).length]).toEqual([letter, 1]);
      expect([letter, folded <= '\x7f']).toEqual([letter, letter <= '\x7f']);
      expect([letter, foldLetter(folded)]).toEqual([letter, folded]);
    }
  });

  it('matches each cased Unicode letter with its case variants and no others', async () => {
    // Every letter is searched for among all of these.
    const letters = lettersWithCase().filter((_letter, index) => index % LETTER_STEP === 0);
    const all = letters.map((letter) => ({ letter, folded: foldLetter(letter) }));
    const found = await inBatches(letters, (word) => {
      const folded = foldLetter(word);
      const alike = all.filter((other) => other.folded === folded);
      const others = all.map((other) => (other.folded === folded ? '' : other.letter)).join('');
      return [...alike.map(({ letter }) => ({ text: `a${letter}b`, word })), { text: others, word }];
    });
    expect(found.filter(({ text, isFound }) => isFound !== text.length < 6)).toEqual([]);
  });

  const lettersWithCase = (): string[] => {
    const letters: string[] = [];
    for (let code = 0; code <= 0x10ffff; code++) {
      const letter = String.fromCodePoint(code);
      if (letter.toLowerCase() !== letter || letter.toUpperCase() !== letter) letters.push(letter);
    }
    return letters;
  };

  /** Searches texts for words, with many searches in each statement. */
  async function inBatches(
    letters: string[],
    toCases: (letter: string) => { text: string; word: string }[],
  ): Promise<{ text: string; word: string; isFound: boolean }[]> {
    const results: { text: string; word: string; isFound: boolean }[] = [];
    for (let start = 0; start < letters.length; start += 100) {
      const cases = letters.slice(start, start + 100).flatMap(toCases);
      const statements = cases.map(({ text, word }) => ({
        text,
        ...contains(dataSource, 't.content', word),
      }));
      const rows = await searches.query<{ n: number }[]>(
        statements
          .map(({ sql }, index) => `SELECT ${index} AS n FROM (SELECT ? AS content) t WHERE ${sql}`)
          .join(' UNION ALL '),
        statements.flatMap(({ text, parameter }) => [text, parameter]),
      );
      const found = new Set(rows.map(({ n }) => n));
      cases.forEach((one, index) => results.push({ ...one, isFound: found.has(index) }));
    }
    return results;
  }
});
