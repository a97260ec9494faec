import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { TemporaryFolder } from '../../../test/support/sqlite';
import { runs } from '../../../test/support/thoroughness';
import { type CsvFile, delimiterOf, readCsv, readHeader } from './csv-reader';

const LETTERS = [
  'a',
  'b',
  ' ',
  ',',
  ';',
  '\t',
  '"',
  '""',
  '\n',
  'é',
  '日本',
  '😀',
  '=1+1',
  '__proto__',
  '\ufeff',
];

describe(readCsv.name, () => {
  const folder = new TemporaryFolder();
  let number = 0;

  afterAll(() => folder.remove());

  const written = (content: string | Buffer): string => {
    const path = folder.file(`${++number}.csv`);
    writeFileSync(path, content);
    return path;
  };

  async function read(
    content: string | Buffer,
    options: Partial<CsvFile> = {},
  ): Promise<[number, string[]][]> {
    const records: [number, string[]][] = [];
    for await (const { line, fields } of readCsv({ path: written(content), ...options })) {
      records.push([line, [...fields]]);
    }
    return records;
  }

  const fieldsOf = async (content: string | Buffer, options?: Partial<CsvFile>): Promise<string[][]> =>
    (await read(content, options)).map(([, fields]) => fields);

  it('reads back what another program has written', async () => {
    const cell = fc.array(fc.constantFrom(...LETTERS), { maxLength: 6 }).map((letters) => letters.join(''));
    const table = fc
      .integer({ min: 2, max: 5 })
      .chain((width) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 8 }),
      );
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.constantFrom(',', ';', '\t'),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.constantFrom('utf-8', 'utf-16le'),
        fc.boolean(),
        async (rows, delimiter, lineBreak, encoding, endsWithBreak) => {
          const quote = (text: string): string =>
            /[",;\t\n\ufeff]/.test(text)
              ? `"${text.replaceAll('"', '""').replaceAll('\n', lineBreak)}"`
              : text;
          const lines = rows.map((row) => row.map(quote).join(delimiter));
          const text = `\ufeff${lines.join(lineBreak)}${endsWithBreak ? lineBreak : ''}`;
          const content = Buffer.from(text, encoding === 'utf-8' ? 'utf8' : 'utf16le');
          expect(await fieldsOf(content, { delimiter })).toEqual(rows);
        },
      ),
      { numRuns: runs(300) },
    );
  });

  it('says in which line a record begins', async () => {
    expect(await read('a,b\r\n"1\r\n\r\n2",x\r\n\r\n3,"4\n5"\n6,7')).toEqual([
      [1, ['a', 'b']],
      [2, ['1\n\n2', 'x']],
      [6, ['3', '4\n5']],
      [8, ['6', '7']],
    ]);
  });

  it.each([
    [
      'shift_jis',
      Buffer.from([0x8c, 0x8f, 0x96, 0xbc, 0x2c, 0x5c, 0x0a, 0x83, 0x5c, 0x2c, 0xb1]),
      ['ソ', 'ｱ'],
    ],
    ['windows-31j', Buffer.from([0x61, 0x2c, 0x62, 0x0a, 0x87, 0x40, 0x2c, 0x78]), ['①', 'x']],
    ['utf-16be', Buffer.from('a,b\né,日', 'utf16le').swap16(), ['é', '日']],
    ['utf-8', Buffer.from('a,b\né,日'), ['é', '日']],
  ])('reads the encoding %s', async (encoding, content, second) => {
    expect((await fieldsOf(content, { encoding }))[1]).toEqual(second);
  });

  it('finds UTF-16 by its first bytes', async () => {
    expect(await fieldsOf(Buffer.from('\ufeffa\tb\né\t日', 'utf16le'))).toEqual([
      ['a', 'b'],
      ['é', '日'],
    ]);
  });

  it.each([
    ['a record that is too long', 'a,b\n1,2,3\n', /\.csv, line 2, has 3 columns, and the header 2\./],
    ['a record that is too short', 'a,b\n1\n', /line 2, has 1 column, and the header 2/],
    [
      'a quote in a plain field',
      'a,b\n1,x"y"\n',
      /line 2, column "b": a quote is within a field that is not quoted/,
    ],
    ['a text after a quote', 'a,b\n\n"1"2,3\n', /line 3, column "a": something follows the closing quote/],
    ['a quote that does not end', 'a,b\n1,"2\n3\n', /line 2, column "b": a quote is not closed/],
    ['a NUL character', 'a,b\n1,2\nx\0y,3\n', /line 3, has a NUL character/],
    [
      'another encoding',
      Buffer.from('a,b\n1,2\n3,\xe9\n4,5\n', 'latin1'),
      /line 3, is not utf-8: name the encoding in the map/,
    ],
    ['another encoding at the end', Buffer.from('a,b\n1,\xe9', 'latin1'), /line 2, is not utf-8/],
    ['UTF-16 without a mark', Buffer.from('a,b\n1,2', 'utf16le'), /line 1, has a NUL character/],
    [
      'too many columns',
      `a,b${',x'.repeat(10_000)}\n`,
      /line 1, has 10,002 columns: at most 10,000 are read/,
    ],
    ['a header without an end', 'c,'.repeat(1_000_000), /line 1, has more than 1,048,576 characters/],
    [
      'a million columns',
      `a,b\n${','.repeat(9_000_000)}`,
      /line 2: the record that begins here has more than 8,388,608 characters/,
    ],
  ])('refuses %s', async (_, content, message) => {
    await expect(read(content)).rejects.toThrow(message);
  });

  it('refuses a quote that does not end without reading the whole file', async () => {
    const path = written('a,b\n1,2\n"');
    const part = Buffer.alloc(10_000_000, 'x,y\n');
    for (let count = 0; count < 10; count++) writeFileSync(path, part, { flag: 'a' });
    const before = process.memoryUsage().rss;
    const reading = async (): Promise<void> => {
      for await (const record of readCsv({ path })) expect(record.line).toBeLessThan(3);
    };
    await expect(reading()).rejects.toThrow(/line 3: the record that begins here has more than/);
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  });

  it('reads only as far as it is asked', async () => {
    const path = written(`a,b\n${'1,2\n'.repeat(500_000)}"`);
    expect(await readHeader({ path })).toEqual(['a', 'b']);
  });

  it('refuses an empty file', async () => {
    await expect(readHeader({ path: written('') })).rejects.toThrow(
      /is empty: its first line names the columns/,
    );
  });
});

describe(delimiterOf.name, () => {
  it.each([
    ['a,b,c\n1;2;3;4;5', ','],
    ['a;"b,c,d,e";f', ';'],
    ['a\tb', '\t'],
    ['a', ','],
  ])('finds that of %j', (header, delimiter) => {
    expect(delimiterOf(header)).toBe(delimiter);
  });
});
