import { readdir } from 'node:fs/promises';
import { AttachmentsService } from '../../src/attachments/attachments.service';
import { TransactionsService } from '../../src/database/transactions/transactions.service';
import { Environment } from '../../src/config/environment';
import { FileStorage } from '../../src/attachments/file-storage';
import { RoleType } from '../../src/access/role-type';
import { activitiesOf, everythingStored } from '../support/records';
import { aTimestamp, anId, errorShape, userShape } from '../support/shapes';
import { addSharedFile, putSharedFile } from '../support/shared-files';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

interface File {
  id: number;
  dir: string;
  name: string;
}

describe('/projects/{projectIdOrKey}/files', () => {
  const tested = useWorld({ MAX_FILE_SIZE: '100000' });
  let project: ProjectFixture;
  let member: Person;
  let files: string;

  beforeAll(() => tested.world.stopDeliveries());
  beforeEach(async () => {
    project = await tested.world.addProject();
    member = await tested.world.addMember(project);
    files = `/projects/${project.key}/files`;
  });
  afterEach(() => vi.restoreAllMocks());

  const list = (path = '', query = '') => member.api.get<File[]>(`${files}/metadata/${path}${query}`);
  const namesIn = async (path = '', query = ''): Promise<string[]> =>
    (await list(path, query)).body.map(({ name }) => name);
  const storedFiles = async (): Promise<number> => {
    const folder = tested.world.service(Environment).STORAGE_URL.slice('file:'.length);
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).length;
  };

  const refused = async (
    request: () => Promise<{ status: number; body: unknown }>,
    field: string,
  ): Promise<void> => {
    const [rows, count] = [await everythingStored(tested.world), await storedFiles()];
    const { status, body } = await request();
    expect({ status, body }).toEqual({ status: 400, body: errorShape(7, [field]) });
    expect(await everythingStored(tested.world)).toEqual(rows);
    expect(await storedFiles()).toBe(count);
  };

  it('creates missing folders for an uploaded file and records an activity', async () => {
    const { status, body } = await putSharedFile(member, project, {
      folder: 'guides/über uns/漢字 😀',
      name: 'größe.txt',
    });
    expect(status).toBe(200);
    const edited = {
      createdUser: userShape(member),
      created: aTimestamp,
      updatedUser: userShape(member),
      updated: aTimestamp,
    };
    const file = {
      id: anId,
      projectId: project.id,
      type: 'file',
      dir: '/guides/über uns/漢字 😀/',
      name: 'größe.txt',
      size: 7,
      ...edited,
    };
    const folder = (dir: string, name: string) => ({
      ...file,
      type: 'directory',
      dir,
      name,
      size: null,
    });
    expect(body).toEqual(file);
    expect((await list()).body).toEqual([folder('/', 'guides')]);
    expect((await list('guides')).body).toEqual([folder('/guides/', 'über uns')]);
    // As most clients write it, and as those that encode the whole path do.
    for (const path of ['guides/%C3%BCber%20uns/', '/guides%2Fu%CC%88ber%20uns']) {
      expect((await list(path)).body).toEqual([folder('/guides/über uns/', '漢字 😀')]);
    }
    expect((await list(`guides/über uns/${encodeURIComponent('漢字 😀')}`)).body).toEqual([body]);
    const { id, dir, name, size } = body;
    expect(await activitiesOf(tested.world, project)).toEqual([
      { type: 8, createdUserId: member.id, content: { id, dir, name, size } },
    ]);
  });

  it('serves the uploaded bytes with Content-Disposition attachment', async () => {
    const id = await addSharedFile(member, project, { name: 'über <b>.html', content: '<script>' });
    const { status, bytes, headers } = await member.api.download(`${files}/${id}`);
    expect(status).toBe(200);
    expect(bytes.toString()).toBe('<script>');
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': "attachment; filename*=UTF-8''%C3%BCber%20%3Cb%3E.html",
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    });
  });

  it('replaces a file of the same name and keeps its id and links', async () => {
    const before = await putSharedFile(member, project, { folder: 'a', name: 'u\u0308.txt', content: 'one' });
    const { id } = before.body;
    await member.api.post(`/wikis/${project.wikiId}/sharedFiles`, { fileId: [id] });
    const other = await tested.world.addMember(project);
    const stored = await storedFiles();
    const after = await putSharedFile(other, project, {
      folder: '/a/',
      name: '\u00fc.txt',
      content: 'three',
    });
    expect(after.body).toEqual({
      ...before.body,
      size: 5,
      updatedUser: userShape(other),
      updated: aTimestamp,
    });
    expect((await member.api.get(`${files}/${id}`)).text).toBe('three');
    expect((await member.api.get(`/wikis/${project.wikiId}/sharedFiles`)).body).toEqual([after.body]);
    expect((await list('a')).body).toEqual([after.body]);
    await tested.world.whenIdle();
    expect(await storedFiles()).toBe(stored);
    expect((await activitiesOf(tested.world, project)).slice(-1)).toEqual([
      { type: 9, createdUserId: other.id, content: { id, dir: '/a/', name: 'ü.txt', size: 5 } },
    ]);
  });

  it('distinguishes files by case of the name, folder and project', async () => {
    const elsewhere = await tested.world.addProject();
    await tested.world.join(elsewhere, member);
    const ids = [
      await addSharedFile(member, project, { name: 'a.txt' }),
      await addSharedFile(member, project, { name: 'A.txt' }),
      await addSharedFile(member, project, { name: 'a.txt', folder: 'x' }),
      await addSharedFile(member, elsewhere, { name: 'a.txt' }),
    ];
    expect(new Set(ids).size).toBe(4);
    expect(await namesIn()).toEqual(['x', 'A.txt', 'a.txt']);
    expect((await member.api.get(`${files}/${ids[3]}`)).status).toBe(404);
  });

  it('lists files in pages by id', async () => {
    for (const name of ['a', 'b', 'c']) await addSharedFile(member, project, { name });
    expect(await namesIn()).toEqual(['c', 'b', 'a']);
    expect(await namesIn('', '?order=asc&count=2')).toEqual(['a', 'b']);
    expect(await namesIn('', '?order=asc&offset=2&count=1000&unknown=1')).toEqual(['c']);
    const { headers } = await list('', '?count=2');
    expect(headers.get('link')).toMatch(/\/files\/metadata\/\?count=2&offset=2>; rel="next"/);
    for (const [query, field] of [
      ['count=0', 'count'],
      ['count=1001', 'count'],
      ['offset=-1', 'offset'],
      ['order=up', 'order'],
    ]) {
      const { status, body } = await list('', `?${query}`);
      expect({ status, body }).toEqual({ status: 400, body: errorShape(7, [field as string]) });
    }
  });

  it('answers 404 to a missing folder, and 403 or 404 without access', async () => {
    await addSharedFile(member, project, { folder: 'a', name: 'file' });
    const stranger = await tested.world.addUser();
    for (const path of [
      'b',
      'a/file',
      'A',
      'a/b',
      'a//',
      'a%2F..%2Fa',
      '%2Fa%2F.',
      'a%00',
      'a%5Cb',
      'a%20',
      'x'.repeat(5000),
    ]) {
      const { status, body } = await member.api.get(`${files}/metadata/${path}`);
      expect({ path, status, body }).toEqual({ path, status: 404, body: errorShape(6) });
    }
    for (const path of ['', 'a'])
      expect((await stranger.api.get(`${files}/metadata/${path}`)).status).toBe(404);
    const viewer = await tested.world.addMember(project, RoleType.Viewer);
    expect((await viewer.api.get(`${files}/metadata/`)).status).toBe(403);
    expect((await viewer.api.get(`${files}/metadata/nosuch`)).status).toBe(404);
  });

  it('shows activities of files only to users who may see the files', async () => {
    await addSharedFile(member, project);
    const viewer = await tested.world.addMember(project, RoleType.Viewer);
    const path = `/projects/${project.key}/activities?activityTypeId[]=8`;
    expect((await member.api.get<unknown[]>(path)).body).toHaveLength(1);
    expect((await viewer.api.get<unknown[]>(path)).body).toEqual([]);
  });

  describe('with an invalid upload', () => {
    it.each([
      '..',
      'a/../b',
      'a//b',
      'a\\b',
      'a\u0000',
      'a\nb',
      ' a',
      'x'.repeat(256),
      Array(21).fill('a').join('/'),
    ])('answers 400 to the folder %j', async (folder) => {
      await refused(() => putSharedFile(member, project, { folder }), 'path');
    });

    it.each([
      ['an invalid path in the query', '?path=..', 'path', []],
      ['different paths in the query and the form', '?path=a', 'path', [['path', 'b']]],
      [
        'two paths',
        '',
        'path',
        [
          ['path', 'a'],
          ['path', 'b'],
        ],
      ],
      ['an unknown field', '', 'dir', [['dir', 'a']]],
    ] as [string, string, string, [string, string][]][])(
      'answers 400 to %s',
      async (_what, query, field, fields) => {
        const form = new FormData();
        for (const [name, value] of fields) form.append(name, value);
        form.append('file', new Blob(['x']), 'a.txt');
        await refused(() => member.api.send('POST', files + query, form), field);
        // The file comes first, and is stored before the rest arrives.
        const late = new FormData();
        late.append('file', new Blob(['x']), 'a.txt');
        for (const [name, value] of fields) late.append(name, value);
        await refused(() => member.api.send('POST', files + query, late), field);
      },
    );

    it('answers 400 to a form without a file', async () => {
      await refused(() => {
        const form = new FormData();
        form.set('path', 'a');
        return member.api.send('POST', files, form);
      }, 'file');
    });

    it('answers 400 when a file and a folder would have the same path', async () => {
      await addSharedFile(member, project, { folder: 'a/b', name: 'c' });
      await refused(() => putSharedFile(member, project, { name: 'a' }), 'file');
      await refused(() => putSharedFile(member, project, { folder: 'a', name: 'b' }), 'file');
      await refused(() => putSharedFile(member, project, { folder: 'a/b/c' }), 'path');
      await refused(() => putSharedFile(member, project, { folder: 'a/b/c/d/e' }), 'path');
    });

    it('answers 413 to a file larger than MAX_FILE_SIZE', async () => {
      const rows = await everythingStored(tested.world);
      const { status, body } = await putSharedFile(member, project, { content: 'x'.repeat(100_001) });
      expect({ status, body }).toEqual({ status: 413, body: errorShape(10) });
      expect(await everythingStored(tested.world)).toEqual(rows);
    });
  });

  it('accepts the folder in the query', async () => {
    const form = new FormData();
    form.set('file', new Blob(['x']), 'a.txt');
    const { body } = await member.api.send('POST', `${files}?path=a%2Fb`, form);
    expect(body.dir).toBe('/a/b/');
  });

  describe('on a deletion', () => {
    it('deletes a file with its links and bytes and records an activity', async () => {
      const stored = await storedFiles();
      const { body: file } = await putSharedFile(member, project, { folder: 'a', name: 'b.txt' });
      await member.api.post(`/wikis/${project.wikiId}/sharedFiles`, { fileId: [file.id] });
      await member.api.post(`/issues/${project.issueKey}/sharedFiles`, { fileId: [file.id] });
      const { status, body } = await member.api.delete(`${files}/${file.id}`);
      expect({ status, body }).toEqual({ status: 200, body: file });
      expect((await member.api.get(`/wikis/${project.wikiId}`)).body.sharedFiles).toEqual([]);
      expect((await member.api.get(`/issues/${project.issueKey}`)).body.sharedFiles).toEqual([]);
      await tested.world.whenIdle();
      expect(await storedFiles()).toBe(stored);
      expect((await activitiesOf(tested.world, project)).at(-1)).toEqual({
        type: 10,
        createdUserId: member.id,
        content: { id: file.id, dir: '/a/', name: 'b.txt', size: 7 },
      });
      for (const gone of [
        await member.api.get(`${files}/${file.id}`),
        await member.api.delete(`${files}/${file.id}`),
      ]) {
        expect(gone.status).toBe(404);
      }
      expect(await namesIn('a')).toEqual([]);
    });

    it('deletes a folder only when it is empty', async () => {
      const file = await addSharedFile(member, project, { folder: 'a' });
      const [folder] = (await list()).body as [File];
      await refused(() => member.api.delete(`${files}/${folder.id}`), 'sharedFileId');
      expect((await member.api.get(`${files}/${folder.id}`)).status).toBe(404);
      await member.api.delete(`${files}/${file}`);
      const told = await activitiesOf(tested.world, project);
      expect((await member.api.delete(`${files}/${folder.id}`)).body).toEqual(folder);
      expect(await activitiesOf(tested.world, project)).toEqual(told);
      expect((await list('a')).status).toBe(404);
      expect(await namesIn()).toEqual([]);
      expect((await putSharedFile(member, project, { folder: 'a' })).status).toBe(200);
    });

    it('deletes a file once for several simultaneous requests', async () => {
      const id = await addSharedFile(member, project);
      const answers = await Promise.all([1, 2, 3].map(() => member.api.delete(`${files}/${id}`)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
      const [counter] = await tested.world.dataSource.query<[{ used: number | string }]>(
        "SELECT used FROM project_counter WHERE project_id = ? AND name = 'sharedFile'",
        [project.id],
      );
      expect(Number(counter.used)).toBe(0);
    });

    it('deletes all files with their project', async () => {
      // Waits for the deletions of the previous tests.
      await tested.world.whenIdle();
      const stored = await storedFiles();
      const id = await addSharedFile(member, project, { folder: 'a/b' });
      await member.api.post(`/wikis/${project.wikiId}/sharedFiles`, { fileId: [id] });
      await member.api.post(`/issues/${project.issueKey}/sharedFiles`, { fileId: [id] });
      await tested.world.admin.api.delete(`/projects/${project.key}`);
      const { shared_file: rows, issue_shared_file: links } = await everythingStored(tested.world);
      expect(rows?.filter((row) => (row as { project_id: number }).project_id === project.id)).toEqual([]);
      expect(links?.filter((row) => (row as { shared_file_id: number }).shared_file_id === id)).toEqual([]);
      expect(await storedFiles()).toBe(stored);
    });
  });

  describe('with simultaneous requests', () => {
    it('stores uploads of the same name as versions of one file', async () => {
      const stored = await storedFiles();
      const contents = ['1', '22', '333', '4444', '55555'];
      const answers = await Promise.all(
        contents.map((content) => putSharedFile(member, project, { folder: 'a/b', name: 'c', content })),
      );
      expect(answers.map(({ status }) => status)).toEqual(contents.map(() => 200));
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
      expect(await namesIn()).toEqual(['a']);
      expect(await namesIn('a')).toEqual(['b']);
      const [file] = (await list('a/b')).body as [File & { size: number }];
      expect((await member.api.get(`${files}/${file.id}`)).text).toHaveLength(file.size);
      const types = (await activitiesOf(tested.world, project)).map(({ type }) => type);
      expect(types).toEqual([8, 9, 9, 9, 9]);
      await tested.world.whenIdle();
      expect(await storedFiles()).toBe(stored + 1);
    });

    it('keeps an upload while its folder is deleted', async () => {
      for (let round = 0; round < 4; round++) {
        const id = await addSharedFile(member, project, { folder: 'a', name: 'first' });
        const [folder] = (await list()).body as [File];
        await member.api.delete(`${files}/${id}`);
        const [deleted, put] = await Promise.all([
          member.api.delete(`${files}/${folder.id}`),
          putSharedFile(member, project, { folder: 'a', name: 'second' }),
        ]);
        expect(put.status).toBe(200);
        expect([200, 400]).toContain(deleted.status);
        expect(await namesIn('a')).toEqual(['second']);
        await member.api.delete(`${files}/${put.body.id}`);
        const [rest] = (await list()).body as [File];
        await member.api.delete(`${files}/${rest.id}`);
      }
    });

    it('serves the newest version when a file is replaced during its download', async () => {
      const id = await addSharedFile(member, project, { content: 'one' });
      const storage = tested.world.server.app.get<FileStorage>(FileStorage, { strict: false });
      const attachments = tested.world.service(AttachmentsService);
      const open = attachments.open.bind(attachments);
      vi.spyOn(attachments, 'open').mockImplementationOnce(async (attachmentId) => {
        await putSharedFile(member, project, { content: 'three' });
        await tested.world.whenIdle();
        return open(attachmentId);
      });
      const read = vi.spyOn(storage, 'read');
      expect((await member.api.get(`${files}/${id}`)).text).toBe('three');
      expect(read).toHaveBeenCalledTimes(1);
    });

    it('serves the newest version when a file is replaced just before its bytes are read', async () => {
      const id = await addSharedFile(member, project, { content: 'one' });
      const storage = tested.world.server.app.get<FileStorage>(FileStorage, { strict: false });
      const read = storage.read.bind(storage);
      const reads = vi.spyOn(storage, 'read').mockImplementationOnce(async (...file) => {
        await putSharedFile(member, project, { content: 'three' });
        await tested.world.whenIdle();
        return read(...file);
      });
      const answer = await member.api.get(`${files}/${id}`);
      expect([answer.status, answer.text]).toEqual([200, 'three']);
      expect(answer.headers.get('content-length')).toBe('5');
      expect(reads).toHaveBeenCalledTimes(2);
      vi.restoreAllMocks();
    });

    it('answers 404 when the bytes of a file are lost', async () => {
      const id = await addSharedFile(member, project, { content: 'one' });
      const storage = tested.world.server.app.get<FileStorage>(FileStorage, { strict: false });
      const lost = Object.assign(new Error('No such file.'), { code: 'ENOENT' });
      vi.spyOn(storage, 'read').mockRejectedValue(lost);
      expect((await member.api.get(`${files}/${id}`)).status).toBe(404);
      vi.restoreAllMocks();
    });

    it('leaves no stored bytes of a file that is replaced and deleted', async () => {
      const stored = await storedFiles();
      for (let round = 0; round < 4; round++) {
        const id = await addSharedFile(member, project, { name: 'a' });
        const [deleted, put] = await Promise.all([
          member.api.delete(`${files}/${id}`),
          putSharedFile(member, project, { name: 'a', content: 'new' }),
        ]);
        expect(deleted.status).toBe(200);
        expect([200, 404]).toContain(put.status);
        const left = (await list()).body;
        for (const file of left) await member.api.delete(`${files}/${file.id}`);
      }
      await tested.world.whenIdle();
      expect(await storedFiles()).toBe(stored);
    });
  });

  it('keeps an uploaded file when its COMMIT gets no answer', async () => {
    const transactions = tested.world.service(TransactionsService);
    const run = transactions.run.bind(transactions);
    vi.spyOn(transactions, 'run')
      .mockImplementationOnce(run)
      .mockImplementationOnce(run)
      .mockImplementationOnce(async (work) => {
        await run(work);
        throw Object.assign(new Error('Connection lost.'), { code: 'PROTOCOL_CONNECTION_LOST' });
      });
    expect((await putSharedFile(member, project, { content: 'one' })).status).toBe(503);
    await tested.world.whenIdle();
    const [file] = (await list()).body as [File];
    expect((await member.api.get(`${files}/${file.id}`)).text).toBe('one');
  });

  it('removes the upload of a killed process after an hour', async () => {
    const [before, stored] = [await everythingStored(tested.world), await storedFiles()];
    const attachments = tested.world.service(AttachmentsService);
    // Simulates a process that has been killed.
    vi.spyOn(attachments, 'claim').mockRejectedValueOnce(new Error('Killed, for a test.'));
    vi.spyOn(attachments, 'abandon').mockResolvedValueOnce();
    expect((await putSharedFile(member, project, { folder: 'a' })).status).toBe(500);
    expect(await storedFiles()).toBe(stored + 1);
    expect(await namesIn()).toEqual([]);
    await attachments.removeExpired(Date.now() + 2 * 3_600_000);
    expect(await everythingStored(tested.world)).toEqual(before);
    expect(await storedFiles()).toBe(stored);
  });
});
