import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createGzip, gunzipSync, gzipSync } from 'node:zlib';
import { Header } from 'tar/header';
import { writeArchive } from '../backup/archive/archive-file';
import { tarEnd, tarEntry } from '../backup/archive/tar';
import { BackupError } from '../backup/backup.error';
import { CustomFieldType } from '../custom-fields/custom-field-type';
import { bundleEntry, repositoryEntry, repositoryLine } from '../backup/format';
import { type ArchiveContents, archivedFileEntry, archivedFileLine, recordsEntry } from './archive-format';
import { checkArchive } from './check-records';
import { type ArchiveLimits, readProjectArchive } from './read-archive';
import { recordKinds, type RecordKind } from './record-kinds';

type Entry = readonly [path: string, content: string];
type Row = Readonly<Record<string, unknown>>;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const toLines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const toJson = (value: object): string => JSON.stringify(value);

const MIB = 1024 * 1024;
const HEAD = toJson({ type: 'project-archive', format: 1 });
const FILE = { id: 5, content: 'the bytes of a file' };
const CHANGE = {
  ...{ field: 'status', newValue: 'Closed', originalValue: 'Open' },
  ...{ attachmentInfo: null, attributeInfo: null, notificationInfo: null },
};
const BUNDLE = { id: 3, content: 'not really a bundle' };
const REPOSITORY = {
  head: 'refs/heads/main',
  parts: 1,
  bytes: BUNDLE.content.length,
  sha256: sha256(BUNDLE.content),
};

describe('checkArchive', () => {
  const folder = mkdtempSync(join(tmpdir(), 'project-management-test-'));
  let number = 0;
  let kinds: readonly RecordKind[];
  /** The records of the archive, by their kinds. */
  let records: Record<string, readonly Row[]>;

  beforeAll(async () => {
    kinds = await recordKinds();
    records = {
      user: [
        row('user', { id: 1, userId: 'one', roleType: 1 }),
        row('user', { id: 2, userId: 'two', roleType: 1 }),
      ],
      project: [row('project', { id: 4, projectKey: 'ONE' })],
      gitRepository: [row('gitRepository', { id: 3, projectId: 4, createdUserId: 1, updatedUserId: 1 })],
      issueType: [row('issueType', { id: 6, projectId: 4 })],
      issueStatus: [row('issueStatus', { id: 7, projectId: 4, standard: 1 })],
      attachment: [row('attachment', { id: FILE.id, size: FILE.content.length, createdUserId: 2 })],
      commentThread: [
        row('commentThread', { id: 8, projectId: 4 }),
        row('commentThread', { id: 9, projectId: 4 }),
      ],
      issue: [anIssue({ id: 10, threadId: 8, parentIssueId: 11 }), anIssue({ id: 11, threadId: 9 })],
      comment: [row('comment', { id: 12, threadId: 8, createdUserId: 1, changeLog: [] })],
    };
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Returns a record with plain values in the other fields. */
  function row(name: string, values: Row): Row {
    const { fields } = kinds.find((kind) => kind.name === name) as RecordKind;
    const plain = fields.map((field): [string, unknown] => {
      if (field.isNullable) return [field.name, null];
      if (field.isJson) return [field.name, {}];
      return [field.name, { text: 'x', integer: 1, boolean: false }[field.column.kind]];
    });
    return { ...Object.fromEntries(plain), ...values };
  }

  function anIssue(values: Row): Row {
    return row('issue', {
      projectId: 4,
      issueTypeId: 6,
      statusId: 7,
      priorityId: 3,
      createdUserId: 1,
      updatedUserId: 2,
      ...values,
    });
  }

  const aComment = (changeLog: unknown): Row => row('comment', { threadId: 8, createdUserId: 1, changeLog });
  const aWebhook = (activityTypeIds: unknown): Row =>
    row('webhook', { projectId: 4, createdUserId: 1, updatedUserId: 1, activityTypeIds });
  const anActivity = (content: unknown): Row =>
    row('activity', { projectId: 4, createdUserId: 1, type: 1, content });
  const aField = (typeId: number, settings: unknown): Row =>
    row('customField', { projectId: 4, typeId, settings });
  const aDocument = (values: Row): Row =>
    row('document', { projectId: 4, threadId: 9, createdUserId: 1, updatedUserId: 1, ...values });

  /** Returns the entries of an archive, as if it had been written with these records. */
  function entriesOf(changed: Record<string, readonly object[]> = {}, contents: object = {}): Entry[] {
    const all: Record<string, readonly object[]> = { ...records, ...changed };
    const texts = kinds.map(({ name }): [string, string] => [name, toLines(all[name] ?? [])]);
    const fileLine = archivedFileLine(FILE.id, FILE.content.length, sha256(FILE.content));
    const end: ArchiveContents = {
      records: Object.fromEntries(
        texts.map(([name, text]) => [name, { count: (all[name] ?? []).length, sha256: sha256(text) }]),
      ),
      files: { count: 1, bytes: FILE.content.length, sha256: sha256(fileLine), lost: [] },
      repositories: {
        count: 1,
        bytes: BUNDLE.content.length,
        sha256: sha256(repositoryLine(BUNDLE.id, REPOSITORY)),
        lost: [],
      },
    };
    return [
      ['archive.json', HEAD],
      ...texts.filter(([, text]) => text !== '').map(([name, text]): Entry => [recordsEntry(name, 1), text]),
      [archivedFileEntry(FILE.id), FILE.content],
      [bundleEntry(BUNDLE.id, 1), BUNDLE.content],
      [repositoryEntry(BUNDLE.id), toJson(REPOSITORY)],
      ['contents.json', toJson({ ...end, ...contents })],
    ];
  }

  const replaced = (path: string, ...by: readonly Entry[]): Entry[] =>
    entriesOf().flatMap((entry) => (entry[0] === path ? by : [entry]));

  const newPath = (): string => join(folder, `${++number}.pms`);

  async function write(entries: readonly Entry[]): Promise<string> {
    const path = newPath();
    const blocks = entries.flatMap(([name, content]) => [
      ...tarEntry(name, Buffer.from(content), new Date(0)),
    ]);
    await writeArchive(path, Readable.from([...blocks, tarEnd()]));
    return path;
  }

  const check = (path: string, limits?: Partial<ArchiveLimits>) => checkArchive(path, kinds, { limits });

  /** Returns the message with which an archive is refused. */
  async function refusal(
    archive: string | readonly Entry[],
    limits?: Partial<ArchiveLimits>,
  ): Promise<string> {
    const path = typeof archive === 'string' ? archive : await write(archive);
    const error: unknown = await check(path, limits).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(BackupError);
    const { message } = error as BackupError;
    expect(message).not.toContain('\n');
    return message;
  }

  it('reads all lines of a long part, whose letters may be split between two chunks', async () => {
    const projects = Array.from({ length: 4000 }, (_, index) =>
      row('project', { id: index + 4, projectKey: `P${index}`, name: '課題'.repeat(1 + (index % 40)) }),
    );
    const path = await write(entriesOf({ project: projects }));
    const lines: string[] = [];
    const lengths: number[] = [];
    for await (const part of readProjectArchive(path, kinds)) {
      if (part.type !== 'records' || part.kind.name !== 'project') continue;
      expect(part.first).toBe(lines.length + 1);
      lines.push(...part.lines);
      lengths.push(part.lines.join('\n').length);
    }
    expect(`${lines.join('\n')}\n`).toBe(toLines(projects));
    expect(lengths.length).toBeGreaterThan(2);
    expect(Math.max(...lengths)).toBeLessThan(512 * 1024);
  });

  it('returns the head, the contents and the ids of a whole archive', async () => {
    const { head, contents, ids } = await check(await write(entriesOf()));
    expect(head).toEqual({ type: 'project-archive', format: 1 });
    expect(contents.records.issue?.count).toBe(2);
    expect([ids.get('issue')?.rankOf(11), ids.get('issue')?.rankOf(12)]).toEqual([1, undefined]);
  });

  it('reads removed documents, whose depths nothing keeps up to date', async () => {
    const document = [
      aDocument({ id: 13, depth: 2, parentId: 14, statusId: 3 }),
      aDocument({ id: 14, depth: 5, parentId: 99 }),
      aDocument({ id: 15, depth: 0, statusId: 3 }),
      aDocument({ id: 16, parentId: 13 }),
    ];
    expect((await check(await write(entriesOf({ document })))).contents.records.document?.count).toBe(4);
  });

  it('refuses what is no archive of projects', async () => {
    const text = newPath();
    writeFileSync(text, 'a text');
    expect(await refusal(text)).toContain('is not an archive of projects of this service');
    expect(await refusal([['backup.json', '{}']])).toContain('This is not an archive of projects');
  });

  it('refuses a newer format', async () => {
    const head: Entry = ['archive.json', toJson({ type: 'project-archive', format: 2 })];
    expect(await refusal(replaced('archive.json', head))).toContain('use a newer version');
  });

  it('refuses an archive that was cut off at any place', async () => {
    const whole = readFileSync(await write(entriesOf()));
    for (let length = 0; length < whole.length; length += 97) {
      const path = newPath();
      writeFileSync(path, whole.subarray(0, length));
      await refusal(path);
    }
  });

  it('refuses an archive with a changed byte anywhere in an entry', async () => {
    const tar = gunzipSync(readFileSync(await write(entriesOf())));
    for (let position = 0; position < tar.length - 1024; position += 61) {
      // What fills the rest of an entry or of a field has no meaning.
      if (tar[position] === 0 || tar[position] === 0x20) continue;
      const changed = Buffer.from(tar);
      changed[position] = (changed[position] as number) ^ 1;
      const path = newPath();
      writeFileSync(path, gzipSync(changed));
      await expect(check(path), `byte ${position}`).rejects.toBeInstanceOf(BackupError);
    }
  });

  it.each([
    ['a link out of the folder', '../../etc/passwd'],
    ['an absolute path', '/etc/passwd'],
    ['an absolute path in the form of a file', '/files/5'],
    ['another folder', 'files/../files/5'],
    ['an unknown entry', 'notes.txt'],
  ])('refuses %s, and names the entry', async (_case, path) => {
    expect(await refusal(replaced('files/5', [path, FILE.content]))).toContain(JSON.stringify(path));
  });

  it('refuses a symbolic link, and names the entry', async () => {
    const link = new Header({
      path: 'files/5',
      size: 0,
      type: 'SymbolicLink',
      linkpath: '/etc/passwd',
      mode: 0o600,
    });
    link.encode();
    const blocks = [
      ...tarEntry('archive.json', Buffer.from(HEAD), new Date(0)),
      link.block as Buffer,
      tarEnd(),
    ];
    const path = newPath();
    await writeArchive(path, Readable.from(blocks));
    expect(await refusal(path)).toContain('its entry "files/5" is not a file');
  });

  it.each([
    ['archive.json', 'its entry "archive.json" is not one of an archive'],
    ['records/user/000001.jsonl', '"records/user/000001.jsonl" is not the next part'],
    ['files/5', 'its entry "files/5" is not in its place'],
    ['repositories/3/repository.json', 'its entry "repositories/3/repository.json" is not in its place'],
    ['contents.json', 'it has data after its end'],
  ])('refuses a second %s', async (path, message) => {
    const [entry] = entriesOf().filter(([name]) => name === path) as [Entry];
    expect(await refusal(replaced(path, entry, entry))).toContain(message);
  });

  it.each([
    ['archive.json', 'This is not an archive'],
    ['records/issue/000001.jsonl', 'the records of issue are not those that were written'],
    ['records/user/000001.jsonl', 'refers to the user 1, which is not in it'],
    ['files/5', 'its files are not those that were written'],
    ['repositories/3/000001.bundle', 'the git repository 3 is not the one that was written'],
    ['repositories/3/repository.json', 'its git repositories are not those that were written'],
    ['contents.json', 'it ends without contents.json'],
  ])('refuses an archive without %s', async (path, message) => {
    expect(await refusal(replaced(path))).toContain(message);
  });

  it('refuses parts and kinds in another order', async () => {
    const entries = entriesOf();
    const [head, first, second, ...rest] = entries as [Entry, Entry, Entry, ...Entry[]];
    expect(await refusal([head, second, first, ...rest])).toContain('not in it');
    const last = replaced('records/user/000001.jsonl', [
      'records/user/000002.jsonl',
      toLines(records.user ?? []),
    ]);
    expect(await refusal(last)).toContain('"records/user/000002.jsonl" is not the next part');
  });

  it('refuses records of an unknown kind', async () => {
    const secrets: Entry = ['records/apiKey/000001.jsonl', '{}\n'];
    expect(await refusal(replaced('files/5', secrets))).toContain('records of the unknown kind "apiKey"');
  });

  it('refuses other numbers and digests in its contents', async () => {
    const files = { count: 2, bytes: 19, sha256: sha256(''), lost: [] };
    expect(await refusal(entriesOf({}, { files }))).toContain('its files are not those');
    expect(await refusal(entriesOf({}, { records: {} }))).toContain('the records of user are not those');
    expect(await refusal(entriesOf({}, { records: { sheet: { count: 0, sha256: sha256('') } } }))).toContain(
      'has the unknown kind "sheet"',
    );
    expect(await refusal(entriesOf({}, { repositories: 1 }))).toContain('its contents.json cannot be read');
  });

  it.each(['archive.json', 'repositories/3/repository.json', 'contents.json'])(
    'refuses %s with more than 1 MiB or 100,000 values',
    async (path) => {
      const long: Entry = [path, toJson({ text: 'x'.repeat(1_100_000) })];
      expect(await refusal(replaced(path, long))).toContain(`its entry ${JSON.stringify(path)} is too long`);
      const many: Entry = [path, toJson({ list: Array<[]>(100_001).fill([]) })];
      expect(await refusal(replaced(path, many))).toContain(`its ${path} cannot be read`);
    },
  );

  it.each([
    ['a missing line end', '{}', 'the lines of'],
    ['no line', '', 'the lines of'],
    ['text that is not JSON', 'no JSON\n', 'record 1 of user cannot be read'],
    ['a list', '[]\n', 'record 1 of user cannot be read'],
    ['a missing field', '{"id":1}\n', 'record 1 of user has no valid active'],
  ])('refuses records with %s', async (_case, text, message) => {
    expect(
      await refusal(replaced('records/user/000001.jsonl', ['records/user/000001.jsonl', text])),
    ).toContain(message);
  });

  const WRONG: readonly (readonly [string, (all: typeof records) => Record<string, object[]>, string])[] = [
    ['an unknown field', ({ user }) => ({ user: [{ ...user?.[0], passwordHash: 'x' }] }), 'unknown field'],
    [
      'a wrong type',
      ({ user }) => ({ user: [{ ...user?.[0], name: 7 }] }),
      'record 1 of user has no valid name',
    ],
    ['a text too long', ({ user }) => ({ user: [{ ...user?.[0], name: 'x'.repeat(300) }] }), 'no valid name'],
    [
      'a time out of the range of a date',
      ({ user }) => ({ user: [{ ...user?.[0], created: 9e15 }] }),
      'record 1 of user has no valid created',
    ],
    ['an unknown role', ({ user }) => ({ user: [{ ...user?.[0], roleType: 99 }] }), 'no valid roleType'],
    [
      'an id of 0',
      ({ user }) => ({ user: [{ ...user?.[0], id: 0 }] }),
      'record 1 of user is not in its place',
    ],
    [
      'an id twice',
      ({ user }) => ({ user: [user?.[0] ?? {}, user?.[0] ?? {}] }),
      'record 2 of user is not in its place',
    ],
    [
      'ids in another order',
      ({ user }) => ({ user: [user?.[1] ?? {}, user?.[0] ?? {}] }),
      'record 2 of user is not in',
    ],
    [
      'a lost reference',
      () => ({ comment: [row('comment', { threadId: 99, createdUserId: 1, changeLog: [] })] }),
      'record 1 of comment refers to the commentThread 99',
    ],
    [
      'a lost parent',
      () => ({ issue: [anIssue({ id: 10, threadId: 8, parentIssueId: 99 })] }),
      'the issue 10 refers to the issue 99',
    ],
    [
      'issues below each other',
      () => ({
        issue: [
          anIssue({ id: 10, threadId: 8, parentIssueId: 11 }),
          anIssue({ id: 11, threadId: 9, parentIssueId: 10 }),
        ],
      }),
      'the issue 10 is below itself',
    ],
    [
      'a document below itself',
      () => ({
        document: [aDocument({ id: 13, parentId: 13 })],
      }),
      'the document 13 is below itself',
    ],
    [
      'a document as deep as the one above it',
      () => ({ document: [aDocument({ id: 13 }), aDocument({ id: 14, parentId: 13 })] }),
      'the document 14 is not deeper than the one above it',
    ],
    [
      'a document above the top of a tree',
      () => ({ document: [aDocument({ id: 13, depth: -5 })] }),
      'the document 13 has no valid depth',
    ],
    [
      'documents on more levels than any tree has',
      () => ({
        document: Array.from({ length: 101 }, (_, index) =>
          aDocument({ id: index + 1, depth: index + 1, parentId: index === 0 ? null : index }),
        ),
      }),
      'the document 101 has no valid depth',
    ],
    ['JSON that is a number', () => ({ comment: [aComment(5)] }), 'no valid changeLog'],
    ['JSON that is too deep', () => ({ activity: [anActivity({ x: deep(500) })] }), 'no valid content'],
    [
      'JSON of too many values',
      () => ({ comment: [aComment(Array<[]>(2_000_000).fill([]))] }),
      'record 1 of comment cannot be read',
    ],
    [
      'more values than any record has',
      () => ({ comment: [aComment(Array<object>(8000).fill(CHANGE))] }),
      'record 1 of comment cannot be read',
    ],
    [
      'JSON that is longer than any record',
      () => ({ comment: [aComment([]), aComment([{ ...CHANGE, newValue: 'a'.repeat(7 * MIB) }])] }),
      'line 2 of "records/comment/000001.jsonl" has more than 6.0 MiB',
    ],
    [
      'a text that is longer than any record',
      () => ({
        comment: [row('comment', { threadId: 8, createdUserId: 1, content: '課'.repeat(2.2 * MIB) })],
      }),
      'line 1 of "records/comment/000001.jsonl" has more than 6.0 MiB',
    ],
    [
      'a file of another size',
      ({ attachment }) => ({ attachment: [{ ...attachment?.[0], size: 7 }] }),
      'the file 5 is not that of its attachment',
    ],
    ['a file without a record', () => ({ attachment: [] }), 'the file 5 is not that of its attachment'],
    [
      'a file too few',
      ({ attachment }) => ({ attachment: [attachment?.[0] ?? {}, { ...attachment?.[0], id: 6 }] }),
      'files of attachments are missing',
    ],
    [
      'an attachment with a negative size',
      ({ attachment }) => ({ attachment: [attachment?.[0] ?? {}, { ...attachment?.[0], id: 6, size: -1 }] }),
      'record 2 of attachment has no valid size',
    ],
    [
      'a repository without a record',
      () => ({ gitRepository: [] }),
      'no record describes the git repository 3',
    ],
  ];

  it.each<readonly [string, string, () => Row]>([
    ['webhook', 'activityTypeIds', () => aWebhook({})],
    ['webhook', 'activityTypeIds', () => aWebhook(['1'])],
    ['comment', 'changeLog', () => aComment({})],
    ['comment', 'changeLog', () => aComment([null])],
    ['comment', 'changeLog', () => aComment([{ ...CHANGE, newValue: null }])],
    ['comment', 'changeLog', () => aComment([{ ...CHANGE, attachmentInfo: { id: '5', name: 'x' } }])],
    ['comment', 'changeLog', () => aComment([{ ...CHANGE, attributeInfo: 5 }])],
    ['comment', 'changeLog', () => aComment([{ ...CHANGE, notificationInfo: [] }])],
    ['activity', 'content', () => anActivity([])],
    ['customField', 'settings', () => aField(CustomFieldType.Text, [])],
    ['customField', 'settings', () => aField(CustomFieldType.Numeric, { min: '1' })],
    ['customField', 'settings', () => aField(CustomFieldType.Date, { max: 1 })],
    ['customField', 'settings', () => aField(CustomFieldType.Date, { initialDate: 3 })],
    ['customField', 'settings', () => aField(CustomFieldType.Date, { initialDate: { id: 3, date: {} } })],
    ['customField', 'settings', () => aField(CustomFieldType.Radio, { allowInput: 1 })],
  ])('refuses a record of %s with a %s of another shape', async (kind, field, wrong) => {
    expect(await refusal(entriesOf({ [kind]: [wrong()] }))).toContain(
      `record 1 of ${kind} has no valid ${field}`,
    );
  });

  it('reads JSON of the shapes that the service writes', async () => {
    const attachmentInfo = { id: -5, name: 'removed before an earlier import' };
    const path = await write(
      entriesOf({
        webhook: [aWebhook([1, 2])],
        comment: [
          aComment([
            CHANGE,
            { ...CHANGE, attachmentInfo },
            { ...CHANGE, attributeInfo: { id: 1, typeId: '3' }, notificationInfo: { type: 'issue.create' } },
          ]),
        ],
        activity: [anActivity({ id: 1, changes: [] })],
        customField: [
          aField(CustomFieldType.Text, {}),
          aField(CustomFieldType.Numeric, { min: 0.5, max: null, initialValue: 1, unit: 'h' }),
          aField(CustomFieldType.Date, {
            ...{ min: '2026-01-01', max: null },
            initialDate: { id: 2, date: null, shift: 7 },
          }),
          aField(CustomFieldType.Radio, { allowInput: true, allowAddItem: false }),
        ].map((field, index) => ({ ...field, id: index + 1 })),
      }),
    );
    expect((await check(path)).contents.records).toMatchObject({ customField: { count: 4 } });
  });

  it.each(['keyId', 'actualHours'])('refuses a %s of more than 32 bits', async (field) => {
    const [first, second] = [2 ** 31 - 1, 2 ** 31].map((value, index) =>
      anIssue({ id: 10 + index, threadId: 8 + index, [field]: value }),
    ) as [Row, Row];
    expect(await refusal(entriesOf({ issue: [first, second] }))).toContain(
      `record 2 of issue has no valid ${field}`,
    );
  });

  it('reads 53 bits where columns have them', async () => {
    const attachment = [
      ...(records.attachment ?? []),
      { ...records.attachment?.[0], id: 2 ** 52, size: Number.MAX_SAFE_INTEGER },
    ];
    const files = { count: 1, bytes: FILE.content.length, lost: [2 ** 52] };
    const line = archivedFileLine(FILE.id, FILE.content.length, sha256(FILE.content));
    const path = await write(entriesOf({ attachment }, { files: { ...files, sha256: sha256(line) } }));
    expect((await check(path)).ids.get('attachment')?.has(2 ** 52)).toBe(true);
  });

  it.each(WRONG)('refuses %s', async (_case, change, message) => {
    expect(await refusal(entriesOf(change(records)))).toContain(message);
  });

  it('refuses an archive that lacks a file, while another is both lost and there', async () => {
    const lost = (ids: readonly number[]): object => {
      const { files } = JSON.parse(entriesOf().at(-1)?.[1] ?? '') as ArchiveContents;
      return { files: { ...files, lost: ids } };
    };
    const attachment = [FILE.id, 6].map((id) => ({ ...records.attachment?.[0], id }));
    expect(await refusal(entriesOf({ attachment }, lost([FILE.id])))).toContain(
      'files of attachments are missing',
    );
    const whole = await check(await write(entriesOf({ attachment }, lost([FILE.id, 6, 6]))));
    expect(whole.contents.files.lost).toEqual([FILE.id, 6, 6]);
  });

  function deep(levels: number): unknown[] {
    let value: unknown[] = [];
    for (let level = 0; level < levels; level++) value = [value];
    return value;
  }

  it('refuses entries, parts and lines that are too long, and too many entries', async () => {
    const entries = entriesOf();
    expect(await refusal(entries, { part: 100 })).toContain(
      'its entry "records/user/000001.jsonl" is too long',
    );
    expect(await refusal(entries, { line: 100 })).toContain(
      'line 1 of "records/user/000001.jsonl" has more than 100 bytes',
    );
    expect(await refusal(entries, { text: 10 })).toContain('its entry "archive.json" is too long');
    expect(await refusal(entries, { entries: 3 })).toContain('too many entries');
    expect(await refusal(entries, { bytes: 1000 })).toContain('it is too large, from "records/');
  });

  it('reads no more of a line than the longest record has', async () => {
    const name = 'records/user/000001.jsonl';
    const header = new Header({ path: name, size: 60 * MIB, type: 'File', mode: 0o600 });
    header.encode();
    const path = newPath();
    const blocks = [...tarEntry('archive.json', Buffer.from(HEAD), new Date(0)), header.block as Buffer];
    // Whoever reads on finds the end of the archive.
    await writeArchive(path, Readable.from([...blocks, Buffer.from('{}\n'), Buffer.alloc(7 * MIB, 'x')]));
    expect(await refusal(path)).toContain(`line 2 of "${name}" has more than 6.0 MiB`);
  });

  it('refuses an archive that becomes far larger than its file, without reading all of it', async () => {
    const bombs: [size: number, path: string, message: string][] = [
      [1e12, 'records/user/000001.jsonl', 'its entry "records/user/000001.jsonl" is too long'],
      [1e14, 'files/5', 'it is too large, from "files/5" on'],
    ];
    for (const [size, name, message] of bombs) {
      const header = new Header({ path: name, size, type: 'File', mode: 0o600 });
      header.encode();
      const path = newPath();
      const blocks = [...tarEntry('archive.json', Buffer.from(HEAD), new Date(0)), header.block as Buffer];
      await writeArchive(path, Readable.from([...blocks, Buffer.alloc(16 * 1024 * 1024)]));
      expect(await refusal(path)).toContain(message);
    }
  });

  it('refuses anything but a few zeros after the end', async () => {
    const whole = gunzipSync(readFileSync(await write(entriesOf())));
    for (const rest of [Buffer.from('more'), Buffer.alloc(8 * 1024 * 1024)]) {
      const path = newPath();
      const gzip = createGzip();
      gzip.end(Buffer.concat([whole, rest]));
      const parts: Buffer[] = [];
      for await (const part of gzip) parts.push(part as Buffer);
      writeFileSync(path, Buffer.concat(parts));
      expect(await refusal(path)).toContain('it has data after its end');
    }
  });
});
