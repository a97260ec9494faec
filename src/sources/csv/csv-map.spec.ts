import { writeFileSync } from 'node:fs';
import { TemporaryFolder } from '../../../test/support/sqlite';
import { csvMapOf, parseMap, readMap } from './csv-map';
import { jiraMapOf } from './jira-map';
import { layOut } from './layout';
import { minimalMap, projectKeyFor } from './minimal-map';
import { nearest } from './nearest';

const START = 'version: 1\nproject: { key: WEB }\n';
const parse = (text: string) => csvMapOf(parseMap(text, 'map.yaml'), 'map.yaml');

describe(parseMap.name, () => {
  it('reads columns with and without options, and values', () => {
    const map = parse(
      `${START}delimiter: "\\t"\ntimeZone: Asia/Tokyo\ndateFormats: [d/M/yyyy]\ncolumns:\n` +
        '  Title: summary\n  "Tags ": { field: categories, separator: "," }\n' +
        'values:\n  status: { done: Closed, 1: Open }\n  resolution: { Open: None }\n',
    );
    expect(map).toMatchObject({
      delimiter: '\t',
      timeZone: 'Asia/Tokyo',
      project: { key: 'WEB', name: 'WEB' },
    });
    expect([map.useOf('Title'), map.useOf('Tags'), map.useOf('Other')]).toEqual([
      { field: 'summary' },
      { field: 'categories', separator: ',' },
      undefined,
    ]);
    expect([...map.values.status]).toEqual([
      ['1', 'Open'],
      ['DONE', 'Closed'],
    ]);
    expect([...map.values.resolution]).toEqual([['OPEN', '']]);
  });

  it.each([
    ['', 'map.yaml: Invalid input'],
    ['version: 2\n', 'map.yaml, version: it must be 1.'],
    ['columns: {}\n', 'map.yaml, version: it must be 1.'],
    [`${START}column: {}\n`, 'map.yaml: there is no key "column": did you mean "columns"?'],
    [
      'version: 1\nproject: { kee: WEB, key: A }\n',
      'map.yaml, project: there is no key "kee": did you mean "key"?',
    ],
    ['version: 1\nproject: { key: web }\n', 'map.yaml, project.key: it must be 1 to 25 capital letters'],
    [`${START}values: { statuses: {} }\n`, 'there is no key "statuses": did you mean "status"?'],
    [
      `${START}values: { priority: { A: Urgent } }\n`,
      'values.priority.A: it must be "High" or "Normal" or "Low".',
    ],
    [
      `${START}columns: { A: sumary }\n`,
      'map.yaml, column "A": there is no field "sumary": did you mean "summary"?',
    ],
    [`${START}columns: { A: 1 }\n`, 'map.yaml, column "A": it needs the name of a field'],
    [
      `${START}columns: { A: { field: summary, separator: x } }\n`,
      'column "A": there is no key "separator".',
    ],
    [`${START}columns: { A: { field: versions, seperator: x } }\n`, 'did you mean "separator"?'],
    [
      `${START}columns: { A: { field: custom, type: txt } }\n`,
      'column "A", type: it must be "auto" or "text"',
    ],
    [`${START}columns: { A: { field: comment, pattern: x } }\n`, 'column "A", pattern: it needs {text}.'],
    [`${START}columns: { A: status }\n`, 'columns needs a column with the field summary'],
    ['version: 1\ncolumns: { A: summary }\n', 'map.yaml needs project with the key of the project'],
    [`${START}dateFormats: [yyyy-MM]\n`, 'map.yaml, dateFormats.0: it needs a year, a month and a day.'],
    [`${START}timeZone: Mars\n`, 'timeZone: is not a time zone such as Asia/Tokyo.'],
    [`${START}encoding: latin-9000\n`, 'encoding: is not an encoding that is known.'],
    [`${START}locale: "?"\n`, 'locale: is not a language such as de.'],
    [`${START}columns: { A: summary, A: status }\n`, 'map.yaml is not YAML: Map keys must be unique'],
    ['a: [', 'map.yaml is not YAML'],
  ])('refuses %j', (text, message) => {
    expect(() => parse(text)).toThrow(message);
  });

  it('refuses aliases that grow without bounds', () => {
    const levels = Array.from({ length: 30 }, (_, level) =>
      level === 0
        ? 'a0: &a0 [x, x, x]'
        : `a${level}: &a${level} [*a${level - 1}, *a${level - 1}, *a${level - 1}]`,
    );
    expect(() => parse(levels.join('\n'))).toThrow('map.yaml is not YAML: Excessive alias count');
  });

  it('changes no prototype', () => {
    const map = parse(`${START}columns: { __proto__: status, constructor: priority, A: summary }\n`);
    expect([map.useOf('constructor'), map.useOf('toString'), ({} as any).field]).toEqual([
      { field: 'priority' },
      undefined,
      undefined,
    ]);
  });
});

describe(readMap.name, () => {
  const folder = new TemporaryFolder();

  afterAll(() => folder.remove());

  it('refuses a file that is missing or large', async () => {
    writeFileSync(folder.file('large.yaml'), '#'.repeat(2_000_000));
    await expect(readMap(folder.file('none.yaml'))).rejects.toThrow(/There is no map .*none\.yaml\./);
    await expect(readMap(folder.file('large.yaml'))).rejects.toThrow(/is too large for a map/);
  });
});

describe(layOut.name, () => {
  it('names a column that the file does not have', () => {
    const map = parse(`${START}columns: { Titel: summary }\n`);
    expect(() => layOut(['Title', 'Body'], map, 'a.csv')).toThrow(
      'a.csv has no column "Titel", which the map names: did you mean "Title"?',
    );
  });

  it('collects repeated columns, and the columns of a custom field', () => {
    const map = parse(
      `${START}columns: { T: summary, C: comment, A: { field: custom, name: X }, B: { field: custom, name: X } }\n`,
    );
    const { columns, customs, unnamed } = layOut(['T', 'C', 'A', '', 'C', 'B', 'D'], map, 'a.csv');
    expect(columns.get('comment')?.map(({ index }) => index)).toEqual([1, 4]);
    expect(customs.map(({ name, columns: of }) => [name, of.map(({ index }) => index)])).toEqual([
      ['X', [2, 5]],
    ]);
    expect(unnamed.map(({ header }) => header)).toEqual(['column 4', 'D']);
  });

  it('refuses two types of a custom field', () => {
    const map = parse(
      `${START}columns: { T: summary, A: { field: custom, name: X, type: date }, B: { field: custom, name: X } }\n`,
    );
    expect(() => layOut(['T', 'A', 'B'], map, 'a.csv')).toThrow(
      'The map gives the custom field "X" two types.',
    );
  });
});

describe(jiraMapOf.name, () => {
  it.each([
    ['Issue key', { field: 'key' }],
    ['Fix Version/s', { field: 'milestones' }],
    ['Fix versions', { field: 'milestones' }],
    ['Original estimate', { field: 'estimatedHours', unit: 'seconds' }],
    ['Outward issue link (Blocks)', { field: 'related' }],
    ['Custom field (Customer (if any))', { field: 'custom', name: 'Customer (if any)' }],
    ['Σ Time Spent', { field: 'ignore' }],
    ['Custom field ()', undefined],
    ['__proto__', undefined],
  ])('recognizes the column %s', (header, use) => {
    expect(jiraMapOf().useOf(header)).toEqual(use);
  });

  it('is changed by a map', () => {
    const map = jiraMapOf(
      parseMap(
        'version: 1\ncolumns: { Votes: { field: custom, type: number } }\nvalues: { status: { done: Resolved } }',
        'm',
      ),
    );
    expect(map.useOf('Votes')).toEqual({ field: 'custom', type: 'number' });
    expect([map.values.status.get('DONE'), map.values.status.get('TO DO')]).toEqual(['Resolved', 'Open']);
  });
});

describe(minimalMap.name, () => {
  it('returns a map with which the file can be read', () => {
    const header = ['ID', 'Title', 'State', 'Assigned: to', '', 'Title', '#'];
    const map = parse(minimalMap('/some/folder/my issues.csv', header));
    expect(map.project).toEqual({ key: 'MY_ISSUES', name: 'my issues' });
    expect(
      ['ID', 'Title', 'State', 'Assigned: to', 'column 5', '#'].map((name) => map.useOf(name)?.field),
    ).toEqual(['number', 'summary', 'status', 'ignore', 'ignore', 'ignore']);
    expect(layOut(header, map, 'a.csv').unnamed).toEqual([]);
  });

  it('takes the first column for the summary if none is named so', () => {
    expect(parse(minimalMap('a.csv', ['Aufgabe', 'Stand'])).useOf('Aufgabe')).toEqual({ field: 'summary' });
  });

  it.each([
    ['2026 plan', 'PLAN'],
    ['日本', 'IMPORTED'],
    ['a'.repeat(40), 'A'.repeat(25)],
  ])('makes a key of %s', (name, key) => {
    expect(projectKeyFor(name)).toBe(key);
  });
});

describe(nearest.name, () => {
  it.each([
    ['a letter', 'discription', 'description'],
    ['a missing letter', 'Assigne', 'assignee'],
    ['another name', 'xyz', undefined],
    ['a very long name', 'x'.repeat(1_000_000), undefined],
  ])('finds what is meant in spite of %s', (_, name, expected) => {
    expect(nearest(name, ['description', 'assignee', 'status'])).toBe(expected);
  });
});
