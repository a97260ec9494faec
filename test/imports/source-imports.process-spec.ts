import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request as sendRequest, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GitStore } from '../../src/git/git-store';
import { type ImportDto } from '../../src/imports/dto/import.dto';
import { ImportWorkerService } from '../../src/imports/import-worker.service';
import { ApiClient, type ApiResponse } from '../support/api';
import { describeWithGit, GitFolder, WITH_GIT } from '../support/git';
import { LastingInstallations } from '../support/lasting-installations';
import { TemporaryFolder } from '../support/sqlite';
import { type ProjectFixture, World } from '../support/world';

const TIMEOUT_MS = 120_000;
const COMMENTS = /\/issues\/\d+\/comments/;

describeWithGit('an import of a source over the API', () => {
  const folder = new TemporaryFolder();
  const installations = new LastingInstallations(folder);
  let source: World;
  let project: ProjectFixture;
  let work: GitFolder;
  let hash: string;
  /** Stands before the source, and records what is asked. */
  let proxy: Server;
  let asked: string[] = [];
  let intercept: (path: string, response: ServerResponse) => boolean | Promise<boolean>;
  let world: World;
  let api: ApiClient;
  let settings: Record<string, string>;

  beforeAll(async () => {
    work = await GitFolder.make();
    source = await World.start(await installations.add('source', WITH_GIT));
    await source.stopDeliveries();
    project = await source.addProject();
    await source.addComment(project.issueThreadId, source.admin, 'A remark');
    await source.whenIdle();
    hash = await addCommit();
    proxy = createServer((request, response) => {
      const path = request.url ?? '';
      asked.push(path);
      void (async () => {
        if (await intercept(path, response)) return;
        const target = { port: new URL(source.server.baseUrl).port, host: '127.0.0.1', path };
        const { method, headers } = request;
        const forwarded = sendRequest({ ...target, method, headers }, (answer) => {
          response.writeHead(answer.statusCode ?? 0, answer.headers);
          answer.pipe(response);
        });
        // A client that has gone, such as a stopped service.
        forwarded.on('error', () => response.destroy());
        request.pipe(forwarded);
      })();
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
  }, TIMEOUT_MS);

  afterAll(async () => {
    proxy.closeAllConnections();
    proxy.close();
    await source.stop();
    await installations.drop();
    folder.remove();
    await work.remove();
  });

  beforeEach(() => {
    asked = [];
    intercept = () => false;
  });

  /** Starts a service into which is imported. */
  async function start(more: Record<string, string> = { IMPORT_SOURCE_ALLOW: '127.0.0.1' }): Promise<void> {
    settings = await installations.add(undefined, { ...WITH_GIT, ...more });
    world = await World.start(settings);
    api = world.admin.api;
  }

  async function addCommit(): Promise<string> {
    await work.git('clone', '--quiet', source.service(GitStore).folderOf(project.repositoryId), 'clone');
    const clone = work.in('clone');
    writeFileSync(join(clone.path, 'file'), 'content');
    await clone.git('add', '.');
    await clone.git('commit', '--quiet', '-m', 'A commit');
    await clone.git('push', '--quiet', 'origin', 'HEAD:main');
    return clone.git('rev-parse', 'HEAD');
  }

  const port = (): number => (proxy.address() as AddressInfo).port;
  const address = (): string => `backlog+http://127.0.0.1:${port()}`;

  /** Begins an import of the source. */
  function add(fields: Record<string, string> = {}): Promise<ApiResponse<ImportDto>> {
    const form = new FormData();
    const all = { from: address(), key: source.admin.key, ...fields };
    for (const [name, value] of Object.entries(all)) form.set(name, value);
    return api.post<ImportDto>('/space/imports', form);
  }

  async function begin(fields: Record<string, string> = {}): Promise<number> {
    const { status, body } = await add(fields);
    expect([status, body.state, body.progress.phase]).toEqual([201, 'running', 'read']);
    return body.id;
  }

  const get = async (id: number): Promise<ImportDto> =>
    (await api.get<ImportDto>(`/space/imports/${id}`)).body;

  async function ended(id: number): Promise<ImportDto> {
    await world.service(ImportWorkerService).whenIdle();
    return get(id);
  }

  /** Waits until an import is as expected. */
  async function until(id: number, isMet: (found: ImportDto) => boolean): Promise<ImportDto> {
    for (;;) {
      const found = await get(id);
      if (isMet(found)) return found;
      expect(['running', 'cancelling']).toContain(found.state);
      await sleep(50);
    }
  }

  /** Returns the contents of all files of the imports. */
  function filesOfImports(): string {
    const root = settings.IMPORT_ROOT as string;
    if (!existsSync(root)) return '';
    const entries = readdirSync(root, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
      .join('\n');
  }

  const rowsOfImports = async (): Promise<string> =>
    JSON.stringify(await world.dataSource.query('SELECT * FROM import_run'));

  describe('that is begun', () => {
    beforeEach(() => start());

    afterEach(() => world.stop());

    it(
      'takes over issues, comments and git repositories with another key, and compares them with the source',
      async () => {
        const id = await begin({ project: `${project.key}:COPY` });
        expect(await ended(id)).toMatchObject({
          ...{ name: address(), state: 'done', error: '' },
          plan: { projects: [{ key: project.key, as: 'COPY' }] },
          report: { differences: [], source: { differences: [], error: '' } },
        });
        const found = await get(id);
        expect(found.size).toBeGreaterThan(0);
        expect(found.report?.source?.compared).toBeGreaterThan(10);
        expect(found.plan?.losses).toContain('Deleted issues, whose numbers stay free');
        const { body: comments } = await api.get<{ content: string }[]>('/issues/COPY-1/comments');
        expect(comments.map(({ content }) => content)).toEqual(['A remark']);
        const { body: repositories } = await api.get<{ id: number }[]>('/projects/COPY/git/repositories');
        const repository = world.service(GitStore).folderOf(repositories[0]?.id ?? 0);
        expect(await work.git('--git-dir', repository, 'rev-parse', 'main')).toBe(hash);
        expect(filesOfImports()).toBe('');
      },
      TIMEOUT_MS,
    );

    it(
      'shows what it reads and until when it waits, keeps no key in the clear, and stops when it is cancelled',
      async () => {
        intercept = (path, response) => {
          if (!COMMENTS.test(path)) return false;
          const reset = Math.ceil(Date.now() / 1000) + 600;
          response.writeHead(429, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${reset}` });
          response.end();
          return true;
        };
        const id = await begin({ project: project.key });
        const waiting = await until(id, ({ progress }) => progress.waitingUntil !== null);
        expect(waiting).toMatchObject({ state: 'running', size: 0, plan: null, progress: { phase: 'read' } });
        const minutes = (Date.parse(waiting.progress.waitingUntil ?? '') - Date.now()) / 60_000;
        expect(Math.round(minutes)).toBe(10);
        const kept = [filesOfImports(), await rowsOfImports()];
        for (const text of kept) expect(text).not.toContain(source.admin.key);
        expect(kept[0]).not.toBe('');
        expect((await api.delete<ImportDto>(`/space/imports/${id}`)).body.state).toBe('cancelled');
        expect((await ended(id)).state).toBe('cancelled');
        const count = asked.length;
        expect(filesOfImports()).toBe('');
        expect(asked).toHaveLength(count);
      },
      TIMEOUT_MS,
    );

    it(
      'goes on after a restart with what it has read before',
      async () => {
        let isHeld = true;
        intercept = async (path) => {
          if (COMMENTS.test(path)) while (isHeld) await sleep(10);
          return false;
        };
        const id = await begin({ project: project.key });
        while (!asked.some((path) => COMMENTS.test(path))) await sleep(10);
        await world.stop();
        isHeld = false;
        const before = asked.filter((path) => !COMMENTS.test(path));
        const { key } = world.admin;
        world = await World.start(settings);
        api = new ApiClient(world.server.baseUrl, key);
        const askedToRead: string[] = [];
        intercept = async (path) => {
          // The comparison asks for everything again.
          if ((await get(id)).progress.phase === 'read') askedToRead.push(path);
          return false;
        };
        expect(await ended(id)).toMatchObject({ state: 'done', error: '' });
        expect(askedToRead.filter((path) => before.includes(path))).toEqual([]);
      },
      TIMEOUT_MS,
    );

    it(
      'is published and names what has changed in the source meanwhile',
      async () => {
        let comments = 0;
        intercept = async (path) => {
          // Those of the comparison.
          if (COMMENTS.test(path) && ++comments === 1) return false;
          if (path.includes('/issues?') && comments > 0) {
            comments = -Infinity;
            const content = 'Meanwhile';
            await source.admin.api.post(`/issues/${project.issueKey}/comments`, { content });
            await source.whenIdle();
          }
          return false;
        };
        const id = await begin({ project: project.key });
        const { state, report } = await ended(id);
        expect(state).toBe('done');
        expect(report?.source).toMatchObject({
          error: '',
          differences: expect.arrayContaining([{ kind: 'comment', expected: 1, found: 2 }]),
        });
      },
      TIMEOUT_MS,
    );

    it(
      'stops with the reason when a key is taken, and goes on without reading anew',
      async () => {
        const taken = { key: project.key, name: 'Taken', chartEnabled: false, subtaskingEnabled: false };
        const { body: added } = await api.post<{ id: number }>('/projects', {
          ...{ ...taken, textFormattingRule: 'markdown' },
        });
        const id = await begin({ project: project.key });
        const stopped = await ended(id);
        expect([stopped.state, stopped.error]).toEqual(['stopped', expect.stringContaining(project.key)]);
        await api.patch(`/projects/${added.id}`, { key: 'OTHER' });
        const phases = new Set<string>();
        intercept = async () => {
          phases.add((await get(id)).progress.phase);
          return false;
        };
        expect((await api.post(`/space/imports/${id}/resume`)).status).toBe(200);
        expect((await ended(id)).state).toBe('done');
        expect([...phases]).toEqual(['compare']);
      },
      TIMEOUT_MS,
    );

    it(
      'replaces what an earlier import of the source has added, if it follows it',
      async () => {
        const first = await begin({ project: project.key });
        expect((await ended(first)).state).toBe('done');
        const second = await begin({ project: project.key, follow: 'true' });
        expect(await ended(second)).toMatchObject({ state: 'done', error: '' });
        expect((await get(first)).error).toBe(`Replaced by import ${second}.`);
        const { body: projects } = await api.get<{ projectKey: string }[]>('/projects?all=true');
        expect(projects.map(({ projectKey }) => projectKey)).toEqual([project.key]);
      },
      TIMEOUT_MS,
    );

    it(
      'stops with the reason when the source does not accept the key',
      async () => {
        const id = await begin({ key: 'wrong' });
        const { state, error } = await ended(id);
        expect([state, error]).toEqual(['stopped', `127.0.0.1:${port()} does not accept the key.`]);
      },
      TIMEOUT_MS,
    );
  });

  describe('of a form', () => {
    beforeAll(() => start());

    afterAll(() => world.stop());

    it.each<[string, string, Record<string, string>]>([
      ['from', 'something else', { from: 'https://example.com' }],
      ['from', 'an address without TLS', { from: 'backlog+http://example.com' }],
      ['from', 'a private address', { from: 'backlog://10.1.2.3' }],
      ['from', 'a long address', { from: `backlog://example.com/${'a'.repeat(300)}` }],
      ['key', 'no key', { key: '' }],
      ['key', 'a key with a line break', { key: 'a\u0001b' }],
      ['project', 'an invalid key', { project: 'DEMO:low' }],
      ['users', 'no pairs', { users: 'one' }],
      ['follow', 'no boolean', { follow: 'yes' }],
      ['textFormat', 'an unknown format', { textFormat: 'html' }],
      ['gitUser', 'a control character', { gitUser: 'a\u0000' }],
      ['other', 'an unknown field', { other: '1' }],
    ])('refuses the field %s with %s, and stores nothing', async (field, _case, fields) => {
      const { status, body } = await add(fields);
      const { errors } = body as unknown as { errors: { message: string }[] };
      expect([status, errors[0]?.message]).toEqual([400, expect.stringContaining(field)]);
      expect((await api.get('/space/imports')).body).toEqual([]);
      expect(filesOfImports()).toBe('');
    });

    it('refuses a source beside a file, and stores nothing', async () => {
      const form = new FormData();
      form.set('file', new Blob(['no archive']), 'projects.pms');
      form.set('from', address());
      expect((await api.post('/space/imports', form)).status).toBe(400);
      expect((await api.get('/space/imports')).body).toEqual([]);
      expect(filesOfImports()).toBe('');
    });
  });

  it(
    'connects to no address that is not public unless the operator allows it, whatever its name',
    async () => {
      await start({});
      try {
        const { status, body } = await add({ from: `backlog+http://localhost:${port()}` });
        expect(status).toBe(201);
        const { state, error } = await ended(body.id);
        expect([state, error]).toEqual(['stopped', expect.stringContaining('IMPORT_SOURCE_ALLOW')]);
        expect(asked).toEqual([]);
      } finally {
        await world.stop();
      }
    },
    TIMEOUT_MS,
  );
});
