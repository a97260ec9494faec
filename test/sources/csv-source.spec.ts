import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { checkArchive } from '../../src/archives/check-records';
import { type RecordKind, recordKinds } from '../../src/archives/record-kinds';
import { readEnvironment } from '../../src/config/environment';
import { parseMap } from '../../src/sources/csv/csv-map';
import { planSource, pullToArchive, type Pulled, type PullOptions } from '../../src/sources/pull-to-archive';
import { recordsOf } from '../support/archives';
import { TemporaryFolder } from '../support/sqlite';

const MAP = `version: 1
project: { key: WEB, name: Website }
columns: { No: number, Title: summary, Parent: parent, X: { field: custom, name: X } }
`;
const JIRA_HEADER = 'Summary,Issue key,Issue id,Issue Type,Status,Project key,Project name';

describe('a CSV file as a source', () => {
  const folder = new TemporaryFolder();
  let kinds: readonly RecordKind[];
  let number = 0;

  beforeAll(async () => {
    kinds = await recordKinds();
  });

  afterAll(() => folder.remove());

  function write(name: string, content: string | Buffer): string {
    const path = folder.file(`${++number}-${name}`);
    writeFileSync(path, content);
    return path;
  }

  const options = (others: Partial<PullOptions> = {}): PullOptions => ({
    environment: readEnvironment({}),
    spool: folder.file(`spool-${number}`),
    keys: [],
    ...others,
  });

  /** Reads a file into an archive, and returns its records; the archive is one that the service accepts. */
  async function pull(from: string, others: Partial<PullOptions> = {}) {
    const path = folder.file(`${++number}.pms`);
    const pulled = await pullToArchive(from, path, options(others));
    await checkArchive(path, kinds);
    const records = await recordsOf(path);
    const of = (kind: string): any[] => [...(records.get(kind) ?? [])];
    return { pulled, of, path };
  }

  const pullCsv = (csv: string | Buffer, map = MAP, others: Partial<PullOptions> = {}) =>
    pull(`csv:${write('issues.csv', csv)}`, { map: write('map.yaml', map), ...others });

  const pullJira = (csv: string, others: Partial<PullOptions> = {}) =>
    pull(`jira:${write('jira.csv', csv)}`, others);

  const lossesOf = ({ losses }: Pulled): string[] => losses.map(({ text }) => text);

  it('keeps the numbers of issues, and their gaps', async () => {
    const { of } = await pullCsv('No,Title,Parent,X\n7,B,,\n3,A,,\n');
    expect(of('issue').map(({ keyId, summary }) => [keyId, summary])).toEqual([
      [7, 'B'],
      [3, 'A'],
    ]);
    expect(of('projectCounter').find(({ name }) => name === 'issue')).toMatchObject({
      used: 2,
      lastNumber: 7,
    });
  }, 60_000);

  it('numbers issues in the order of the file if no column does', async () => {
    const { of, pulled } = await pullCsv(
      'Title,Other\nA,1\nB,\n',
      MAP.replace('No: number, ', '').replace(/Parent: parent, X.*/, '}'),
    );
    expect(of('issue').map(({ keyId, summary }) => [keyId, summary])).toEqual([
      [1, 'A'],
      [2, 'B'],
    ]);
    expect(lossesOf(pulled)).toContain('Columns that the map does not name: "Other"');
  });

  it('makes the same bytes of the same file, with private files', async () => {
    const csv = write('same.csv', 'No,Title,Parent,X\n1,A,,a\n2,B,1,b\n');
    const map = write('map.yaml', MAP);
    const [one, other] = [await pull(`csv:${csv}`, { map }), await pull(`csv:${csv}`, { map })];
    expect(readFileSync(one.path).equals(readFileSync(other.path))).toBe(true);
    expect(statSync(folder.file(`spool-${number}`)).mode & 0o777).toBe(0o700);
  });

  it('takes the time of the file for what has none', async () => {
    const csv = write('old.csv', 'No,Title,Parent,X\n1,A,,\n');
    utimesSync(csv, 1_700_000_000, 1_700_000_000);
    const { of } = await pull(`csv:${csv}`, { map: write('map.yaml', MAP) });
    expect(of('issue')[0]).toMatchObject({ created: 1_700_000_000_000, updated: 1_700_000_000_000 });
    expect(of('user').map(({ userId }) => userId)).toEqual(['unknown-user']);
  });

  it('gives issues two levels', async () => {
    const { of, pulled } = await pullCsv(
      'No,Title,Parent,X\n1,top,,\n2,child,1,\n3,grandchild,2,\n4,own,4,\n5,ring,6,\n6,ring,5,\n7,lost,99,\n8,later,#1,\n9,by key,WEB-1,\n',
    );
    const numbers = new Map(of('issue').map(({ id, keyId }) => [id, keyId]));
    expect(of('issue').map(({ keyId, parentIssueId }) => [keyId, numbers.get(parentIssueId)])).toEqual([
      [1, undefined],
      [2, 1],
      [3, undefined],
      [4, undefined],
      [5, undefined],
      [6, undefined],
      [7, undefined],
      [8, 1],
      [9, 1],
    ]);
    expect(
      of('relatedIssue').map(({ firstIssueId, secondIssueId }) => [
        numbers.get(firstIssueId),
        numbers.get(secondIssueId),
      ]),
    ).toEqual([
      [2, 3],
      [5, 6],
    ]);
    expect(pulled.losses).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ text: 'Parents that are not in the file', count: 1 }),
        expect.objectContaining({
          text: expect.stringMatching(/^Parents in other projects or with a parent/),
          count: 3,
        }),
      ]),
    );
  });

  it('finds parents and relations by ids', async () => {
    const map = MAP.replace(
      'No: number',
      'Id: id, Key: key, R: { field: related, separator: " " }, S: { field: subtasks, separator: "," }',
    );
    const { of } = await pullCsv(
      'Id,Key,Title,Parent,R,S,X\nx,OLD-1,A,,OLD-2 y,,\ny,OLD-2,B,x,,,\nz,OLD-5,C,,,"w,none",\nw,OLD-6,D,,OLD-1,,\n',
      map,
    );
    const names = new Map(of('issue').map(({ id, summary }) => [id, summary]));
    expect(of('issue').map(({ keyId, parentIssueId }) => [keyId, names.get(parentIssueId)])).toEqual([
      [1, undefined],
      [2, 'A'],
      [5, undefined],
      [6, 'C'],
    ]);
    expect(
      of('relatedIssue').map((one) => [names.get(one.firstIssueId), names.get(one.secondIssueId)]),
    ).toEqual([
      ['A', 'B'],
      ['A', 'D'],
    ]);
  });

  it('chooses the type of a custom field by its values', async () => {
    const columns = ['T', 'S', 'L', 'M', 'N', 'D', 'R', 'constructor'];
    const custom = (name: string, more = ''): string => `  ${name}: { field: custom${more} }\n`;
    const map =
      'version: 1\nproject: { key: WEB }\ncolumns:\n  Title: summary\n' +
      custom('S') +
      custom('L') +
      custom('M', ', separator: "/"') +
      custom('N', ', type: number') +
      custom('D', ', type: date') +
      custom('R', ', type: radio, name: Choice') +
      custom('constructor');
    const csv =
      `Title,${columns.slice(1).join(',')}\n` +
      `A,=1+1,"two\nlines",x/y,12345.678901,24.12.2024,yes,@cmd\n` +
      `B,${'s'.repeat(255)},l,X,-0,,YES,\n`;
    const { of, pulled } = await pullCsv(csv, map);
    const fields = new Map(of('customField').map(({ id, name, typeId }) => [id, [name, typeId]]));
    expect([...fields.values()]).toEqual([
      ['S', 1],
      ['L', 2],
      ['M', 6],
      ['N', 3],
      ['D', 4],
      ['Choice', 8],
      ['constructor', 1],
    ]);
    const [first] = of('issue');
    expect(
      of('issueCustomField')
        .filter(({ issueId }) => issueId === first.id)
        .map(({ customFieldId, textValue, numberValue, dateValue }) => [
          fields.get(customFieldId)![0],
          textValue ?? numberValue ?? dateValue,
        ]),
    ).toEqual([
      ['S', '=1+1'],
      ['L', 'two\nlines'],
      ['N', 123_456_789],
      ['D', '2024-12-24'],
      ['constructor', '@cmd'],
    ]);
    expect(of('customFieldItem').map(({ name }) => name)).toEqual(['x', 'y', 'yes']);
    expect(of('issueCustomFieldItem')).toHaveLength(5);
    expect(lossesOf(pulled)).toContain('Decimals beyond 4');
  });

  it('adds as many custom fields as a project can have', async () => {
    const names = Array.from({ length: 105 }, (_, index) => `F${index}`);
    const { of, pulled } = await pullJira(
      `${JIRA_HEADER},${names.map((name) => `Custom field (${name})`).join(',')}\nA,WEB-1,9,Bug,Open,WEB,Web,${names.join(',')}\n`,
    );
    expect(of('customField')).toHaveLength(100);
    expect(pulled.losses).toContainEqual({
      text: 'Custom fields beyond the 100 that a project can have',
      count: 5,
      examples: ['WEB: F100', 'WEB: F101', 'WEB: F102'],
    });
  });

  it('makes a text of the values that are too many for a list', async () => {
    const rows = Array.from(
      { length: 101 },
      (_, index) => `A,WEB-${index + 1},${index},Bug,Open,WEB,Web,l${index},m`,
    );
    const { of } = await pullJira(`${JIRA_HEADER},Labels,Labels\n${rows.join('\n')}\n`);
    expect(of('customField').map(({ name, typeId }) => [name, typeId])).toEqual([['Labels', 1]]);
    expect(of('issueCustomField')[0]).toMatchObject({ textValue: 'l0, m' });
  });

  it('reads statuses, types, priorities and resolutions by their names', async () => {
    const map =
      'version: 1\nproject: { key: WEB }\n' +
      'columns: { T: summary, S: status, I: issueType, P: priority, R: resolution }\n' +
      'values: { status: { fertig: Closed, wartet: Waiting }, priority: { P1: High } }\n';
    const { of, pulled } = await pullCsv(
      "T,S,I,P,R\nA,OPEN,Bug,P1,fixed\nB,Fertig,BUG,critical,\nC,Wartet,,Odd,Strange\nD,waiting,Idea,,WON'T FIX\n",
      map,
    );
    const namesOf = (kind: string) => new Map(of(kind).map(({ id, name }) => [id, name]));
    const [statuses, types] = [namesOf('issueStatus'), namesOf('issueType')];
    expect(
      of('issue').map(({ statusId, issueTypeId, priorityId, resolutionId }) => [
        statuses.get(statusId),
        types.get(issueTypeId),
        priorityId,
        resolutionId,
      ]),
    ).toEqual([
      ['Open', 'Bug', 2, 0],
      ['Closed', 'Bug', 2, null],
      ['Waiting', 'Task', 3, null],
      ['Waiting', 'Idea', 3, 1],
    ]);
    expect(
      of('issueStatus')
        .sort((one, other) => one.displayOrder - other.displayOrder)
        .map(({ name }) => name),
    ).toEqual(['Open', 'In Progress', 'Resolved', 'Waiting', 'Closed']);
    expect(lossesOf(pulled)).toEqual(
      expect.arrayContaining([
        'Priorities that the service does not have',
        'Resolutions that the service does not have',
      ]),
    );
  });

  it('orders comments by time, and gives those without an author to nobody known', async () => {
    const map =
      'version: 1\nproject: { key: WEB }\ntimeZone: Asia/Tokyo\n' +
      "columns: { T: summary, By: creator, At: created, C: { field: comment, pattern: '{time}|{author}|{text}' } }\n";
    const { of, pulled } = await pullCsv(
      'T,By,At,C,C,C\nA,anna,2024-01-01 09:00,2024-01-03 09:00|bob|later,2024-01-02 09:00|anna|earlier | or not,just text\n',
      map,
    );
    const names = new Map(of('user').map(({ id, userId }) => [id, userId]));
    expect(
      of('comment').map(({ content, created, createdUserId }) => [
        content,
        new Date(created).toISOString(),
        names.get(createdUserId),
      ]),
    ).toEqual([
      ['just text', '2024-01-01T00:00:00.000Z', 'unknown-user'],
      ['earlier | or not', '2024-01-02T00:00:00.000Z', 'anna'],
      ['later', '2024-01-03T00:00:00.000Z', 'bob'],
    ]);
    expect(of('issue')[0]).toMatchObject({ updated: Date.parse('2024-01-03T00:00:00Z') });
    expect(names.get(of('issue')[0].updatedUserId)).toBe('bob');
    expect(
      of('projectMember')
        .map(({ userId }) => names.get(userId))
        .sort(),
    ).toEqual(['anna', 'bob']);
    expect(lossesOf(pulled)).toContain('Authors and times of comments that do not follow the pattern');
  });

  it('leaves out issues that not everybody may see', async () => {
    const { of, pulled } = await pullJira(
      `${JIRA_HEADER},Security Level,Comment\nA,WEB-1,1,Bug,Open,WEB,Web,,\nB,WEB-2,2,Bug,Open,WEB,Web,Internal,25/Feb/24 4:38 PM;x;secret\n`,
    );
    expect([of('issue').map(({ summary }) => summary), of('comment')]).toEqual([['A'], []]);
    expect(pulled.losses).toContainEqual({
      text: 'Issues whose visibility is restricted',
      count: 1,
      examples: ['WEB-2'],
    });
  });

  it('reads several projects of Jira, or the chosen ones', async () => {
    const csv = `${JIRA_HEADER}\nA,WEB-5,1,Bug,Open,WEB,Website\nB,APP-5,2,Bug,Open,APP,Application\n`;
    const all = await pullJira(csv);
    expect(all.of('project').map(({ projectKey, name }) => [projectKey, name])).toEqual([
      ['WEB', 'Website'],
      ['APP', 'Application'],
    ]);
    const one = await pullJira(csv, { projects: ['APP'] });
    expect(one.of('issue').map(({ summary }) => summary)).toEqual(['B']);
    await expect(pullJira(csv, { projects: ['NONE'] })).rejects.toThrow(
      'There is no issue of the project NONE',
    );
  });

  it('reads the files of a folder as one', async () => {
    const files = folder.file('several');
    mkdirSync(files);
    writeFileSync(`${files}/2.CSV`, `Issue key,Summary,Issue id,Parent\nWEB-2,B,12,11\n`);
    writeFileSync(`${files}/1.csv`, `Summary,Issue key,Issue id\nA,WEB-1,11\n`);
    writeFileSync(`${files}/notes.txt`, 'no CSV');
    const { of } = await pull(`jira:${files}`);
    expect(of('issue').map(({ summary }) => summary)).toEqual(['A', 'B']);
    expect(of('issue')[1].parentIssueId).toBe(of('issue')[0].id);
  });

  it('takes no id of an issue for its number', async () => {
    const { of } = await pullJira('Summary,Issue key,Parent\nA,WEB-1,\nB,WEB-2,1\n');
    expect(of('issue').map(({ parentIssueId }) => parentIssueId)).toEqual([null, null]);
  });

  it('prints a map that can be used if there is none', async () => {
    const csv = write('my list.csv', 'Key,Title,Constructor\nA,B,C\n');
    const error = (await pull(`csv:${csv}`).catch((thrown: unknown) => thrown)) as Error;
    const [sentence, map] = error.message.split('\n\n');
    expect(sentence).toMatch(/^A map is needed .* use --map with a file such as this one\.$/);
    expect([...parseMap(map!, 'map').columns.values()].map(({ field }) => field)).toEqual([
      'key',
      'summary',
      'ignore',
    ]);
  });

  it('leaves nothing after a plan, which finds what an import would refuse', async () => {
    const map = write('map.yaml', MAP);
    const spool = folder.file('plan-spool');
    const good = write('good.csv', 'No,Title,Parent,X,More\n1,A,,,m\n2,B,,,\n');
    const plan = await planSource(`csv:${good}`, options({ map, spool }));
    expect(plan).toMatchObject({
      projects: [{ key: 'WEB', name: 'Website', issues: 2, wikis: 0, documents: 0 }],
      requests: 0,
      losses: expect.arrayContaining([
        expect.objectContaining({ text: 'Columns that the map does not name: "More"' }),
      ]),
    });
    const bad = write('bad.csv', 'No,Title,Parent,X\n1,A,,\n2,,,\n');
    await expect(planSource(`csv:${bad}`, options({ map, spool }))).rejects.toThrow(
      /line 3: the issue has no summary/,
    );
    expect(existsSync(spool)).toBe(false);
  });

  it('refuses a file that changes while it is read', async () => {
    const csv = write(
      'growing.csv',
      `No,Title,Parent,X\n${Array.from({ length: 300 }, (_, i) => `${i + 1},A,,`).join('\n')}\n`,
    );
    const onProgress = ({ what, done }: { what: string; done: number }): void => {
      if (what.startsWith('issues') && done === 100) appendFileSync(csv, '999,late,,\n');
    };
    const pulling = pull(`csv:${csv}`, { map: write('map.yaml', MAP), onProgress });
    await expect(pulling).rejects.toThrow(/has changed while it was read/);
  });

  it.each([
    [
      'a number that is taken',
      'No,Title,Parent,X\n1,A,,\n\n1,B,,\n',
      /line 4, column "No" \(number\): WEB-1 is already that of .*line 2\./,
    ],
    [
      'a huge number',
      'No,Title,Parent,X\n99999999999,A,,\n',
      /line 2, column "No" \(number\): "99999999999" is no number of an issue/,
    ],
    ['a missing number', 'No,Title,Parent,X\n,A,,\n', /line 2: the issue has no number/],
    ['a missing summary', 'No,Title,Parent,X\n1, ,,\n', /line 2: the issue has no summary/],
    ['no issue', 'No,Title,Parent,X\n', /There is no issue in/],
    [
      'a missing column',
      'No,Titel,Parent,X\n1,A,,\n',
      /has no column "Title", which the map names: did you mean "Titel"\?/,
    ],
    ['an empty file', '', /is empty/],
    ['a column too many', 'No,Title,Parent,X\n1,A,,,\n', /line 2, has 5 columns, and the header 4/],
  ])('refuses %s', async (_, csv, message) => {
    await expect(pullCsv(csv)).rejects.toThrow(message);
  });

  it.each([
    ['created', '3/4/2024', /"3\/4\/2024" is no date that is known: name its form in a map/],
    ['created', '2999-01-01', /"2999-01-01" is not between 1970 and today/],
    ['updated', '1969-12-31', /is not between 1970 and today/],
    ['dueDate', '2024-02-30', /column "V" \(dueDate\): "2024-02-30" is no date/],
    ['estimatedHours', '-1', /"-1" is not between 0 and 999999 hours/],
    ['actualHours', '1e400', /"1e400" is no number/],
    ['actualHours', '1,5', /"1,5" is no number: decimalComma in a map may help/],
    ['key', 'WEB-0', /"WEB-0" is no key such as WEB-12/],
    ['key', '__proto__-1', /is no key such as WEB-12/],
    ['{ field: custom, type: number }', '1'.repeat(30), /is too large/],
    ['{ field: custom, type: date }', 'soon', /"soon" is no date/],
    ['{ field: custom, type: singleList }', 'x'.repeat(256), /does not fit into a list of at most 200 names/],
    ['{ field: custom, type: radio, separator: "/" }', 'a/b', /radio has one value/],
    ['{ field: comment, pattern: "{time};{text}" }', 'now;a', /"now" is no date/],
  ])('refuses a value of %s: %s', async (field, value, message) => {
    const map = `version: 1\nproject: { key: WEB }\ncolumns:\n  T: summary\n  V: ${field}\n`;
    await expect(pullCsv(`T,V\nA,"${value}"\n`, map)).rejects.toThrow(message);
  });

  it.each([
    ['statuses', 'status', 1000],
    ['custom items', '{ field: custom, type: singleList }', 201],
  ])('refuses too many %s', async (_, field, count) => {
    const map = `version: 1\nproject: { key: WEB }\ncolumns:\n  T: summary\n  V: ${field}\n`;
    const rows = Array.from({ length: count }, (_value, index) => `A,v${index}`);
    await expect(pullCsv(`T,V\n${rows.join('\n')}\n`, map)).rejects.toThrow(/column "V"/);
  });

  it('refuses the key of a project that is none, and rows without one', async () => {
    await expect(pullJira(`${JIRA_HEADER}\nA,WEB-1,1,Bug,Open,web,Web\n`)).rejects.toThrow(
      /column "Project key" \(projectKey\): "web" is no key of a project/,
    );
    await expect(pullJira('Summary\nA\n')).rejects.toThrow(
      /no column says which project the issue belongs to/,
    );
  });

  it('refuses a path that is not there, and a folder without CSV files', async () => {
    const empty = folder.file('empty');
    mkdirSync(empty);
    await expect(pull('csv:')).rejects.toThrow('The path of a CSV file is needed');
    await expect(pull(`csv:${empty}/none.csv`)).rejects.toThrow(/There is no file .*none\.csv/);
    await expect(pull(`jira:${empty}`)).rejects.toThrow(/There is no file .*\*\.csv/);
    await expect(pull(`jira:${empty}`, { map: `${empty}/map.yaml` })).rejects.toThrow(/There is no file/);
  });

  it('reads the example of the documentation', async () => {
    const text = readFileSync('docs/import.md', 'utf8').split('## From CSV and Jira')[1] ?? '';
    const block = (language: string, index = 0): string =>
      [...text.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, 'g'))][index]![1]!;
    const { of } = await pullCsv(block('csv'), block('yaml'));
    expect(
      of('issue').map(({ keyId, summary, actualHours, created }) => [keyId, summary, actualHours, created]),
    ).toEqual([
      [1, 'Release 2', 750, Date.parse('2024-11-24T00:30:00Z')],
      [4, 'Write the notes', 100, Date.parse('2024-11-25T05:00:00Z')],
    ]);
    expect(of('comment')).toHaveLength(1);
    expect(of('user').map(({ userId, mailAddress }) => [userId, mailAddress])).toEqual([
      ['Anna-Example', ''],
      ['bob', 'bob@example.com'],
    ]);
    const jira = `${JIRA_HEADER},Custom field (Severity)\nA,WEB-1,1,Bug,In Review,WEB,Web,High\n`;
    const read = await pullJira(jira, { map: write('map.yaml', block('yaml', 1)) });
    expect(read.of('customFieldItem').map(({ name }) => name)).toEqual(['High']);
  });
});
