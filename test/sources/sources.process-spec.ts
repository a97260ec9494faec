import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { checkArchive } from '../../src/archives/check-records';
import { recordKinds } from '../../src/archives/record-kinds';
import { type Environment, readEnvironment } from '../../src/config/environment';
import { GitStore } from '../../src/git/git-store';
import {
  compareSource,
  GIT_REFS,
  pullToArchive,
  type Pulled,
  type PullOptions,
  type SourceDifference,
} from '../../src/sources/pull-to-archive';
import { entriesOf, type Records, recordsOf, writeArchiveOf } from '../support/archives';
import { ApiClient } from '../support/api';
import { LastingInstallations } from '../support/lasting-installations';
import { FUZZ_ENVIRONMENT, populate } from '../support/fuzz/population';
import { describeWithGit, GitFolder, WITH_GIT } from '../support/git';
import { Commands } from '../support/pms';
import { TemporaryFolder } from '../support/sqlite';
import { World } from '../support/world';
import { withoutUses } from '../support/without-uses';

const TIMEOUT_MS = 600_000;
/** The parts of all requests after which runs are aborted, one after the other. */
const CUTS = [0.04, 0.1, 0.15, 0.2, 0.25];
const AT_ONCE = 4;
/** What the API does not show: when users and projects were added, who was related when, and the exact place among siblings. */
const HIDDEN: Readonly<Record<string, readonly string[]>> = {
  user: ['created'],
  project: ['created'],
  projectMember: ['created'],
  relatedIssue: ['created'],
  document: ['position', 'removalDue'],
  notification: ['created'],
};

describeWithGit('a space of the family as a source', () => {
  const folder = new TemporaryFolder();
  const installations = new LastingInstallations(folder);
  const commands = new Commands();
  let settings: Record<string, string>;
  let environment: Environment;
  let world: World;
  let work: GitFolder;
  let pulled: Pulled;
  let requests = 0;

  beforeAll(async () => {
    work = await GitFolder.make();
    settings = await newSettings('source');
    environment = readEnvironment(settings);
    world = await World.start(settings);
    await world.stopDeliveries();
    await populate({ baseUrl: world.server.baseUrl, adminKey: world.admin.key, fill: addCommit }, 0);
    await addTheRest();
    await world.whenIdle();
    await writeArchiveOf(environment, folder.file('own.pms'));
    pulled = await pull('pulled', { onRequest: () => requests++ });
  }, TIMEOUT_MS);

  afterAll(async () => {
    await commands.stop();
    await world.stop();
    await installations.drop();
    folder.remove();
    await work.remove();
  });

  const newSettings = (name: string): Promise<Record<string, string>> =>
    installations.add(name, { ...FUZZ_ENVIRONMENT, ...WITH_GIT });

  const address = (): string => world.server.baseUrl.replace('http', 'backlog+http');

  const pull = (name: string, options: Partial<PullOptions> = {}): Promise<Pulled> =>
    pullToArchive(address(), folder.file(`${name}.pms`), {
      environment,
      spool: folder.file(`${name}-spool`),
      keys: [world.admin.key],
      ...options,
    });

  /** Adds a commit to a repository. */
  async function addCommit(repositoryId: number): Promise<string> {
    await world.whenIdle();
    await work.git('clone', '--quiet', world.service(GitStore).folderOf(repositoryId), `${repositoryId}`);
    const clone = work.in(`${repositoryId}`);
    mkdirSync(`${clone.path}/folder`);
    writeFileSync(`${clone.path}/folder/1`, 'content');
    await clone.git('add', '.');
    await clone.git('commit', '--quiet', '-m', 'A commit');
    for (const branch of ['main', 'branch-1', 'branch-2']) {
      await clone.git('push', '--quiet', 'origin', `HEAD:${branch}`);
    }
    return (await clone.git('rev-parse', 'HEAD')).trim();
  }

  /** Adds what the population lacks. */
  async function addTheRest(): Promise<void> {
    const { api } = world.admin;
    const post = async (path: string, body: object): Promise<any> => (await api.post(path, body)).body;
    const path = '/projects/FUZZA0';
    const { body: project } = await api.get<{ id: number }>(path);
    const { body: types } = await api.get<{ id: number }[]>(`${path}/issueTypes`);
    const { body: versions } = await api.get<{ id: number }[]>(`${path}/versions`);
    const { body: issues } = await api.get<{ id: number }[]>(`/issues?projectId[]=${project.id}`);
    const { body: users } = await api.get<{ id: number }[]>('/users');
    const number = await post(`${path}/customFields`, {
      name: 'Number',
      typeId: 3,
      min: 1,
      max: 9.5,
      unit: 'h',
    });
    const day = await post(`${path}/customFields`, { name: 'Day', typeId: 4, min: '2024-01-02' });
    const list = await post(`${path}/customFields`, { name: 'List', typeId: 5, items: ['x', 'y'] });
    const issue = await post('/issues', {
      projectId: project.id,
      summary: 'With everything',
      issueTypeId: types[0]!.id,
      priorityId: 2,
      description: 'long '.repeat(1000),
      versionId: [versions[0]!.id],
      milestoneId: [versions[0]!.id],
      startDate: '2024-02-03',
      dueDate: '2024-03-04',
      estimatedHours: 1.25,
      parentIssueId: issues[0]!.id,
      [`customField_${number.id}`]: 3.5,
      [`customField_${day.id}`]: '2024-07-08',
      [`customField_${list.id}`]: list.items[1].id,
      attachmentId: [await world.addUpload(world.admin, 'a file', 'ä b.txt')],
    });
    await api.patch(`/issues/${issue.id}`, {
      statusId: 2,
      comment: 'Changed',
      assigneeId: users[1]!.id,
      notifiedUserId: [users[2]!.id],
      attachmentId: [await world.addUpload(world.admin, 'later')],
    });
    const { body: comments } = await api.get<{ id: number }[]>(`/issues/${issue.id}/comments`);
    await api.post('/stars', { commentId: comments[0]!.id });
    await api.post(`/issues/${issue.id}/relatedIssues`, { targetIssueId: issues[1]!.id });
    for (let count = 0; count < 110; count++) {
      await api.post(`/issues/${issues[1]!.id}/comments`, { content: `Comment ${count}` });
    }
    const wiki = await post('/wikis', {
      projectId: project.id,
      name: '[tag] Page',
      content: 'Text'.repeat(600),
    });
    await api.patch(`/wikis/${wiki.id}`, { name: 'Another name' });
    await api.patch(`/wikis/${wiki.id}`, { content: 'Another text' });
    const parent = await post('/documents', { projectId: project.id, title: 'Parent', content: '# Text' });
    await post('/documents', { projectId: project.id, title: 'Child', content: 'Text', parentId: parent.id });
    const trashed = await post('/documents', { projectId: project.id, title: 'Trashed', content: 'Text' });
    await api.send('DELETE', `/documents/${trashed.id}`);
  }

  /** Returns the records of an archive as texts, with names in place of the ids that the API does not show. */
  async function comparable(records: Records): Promise<Map<string, string[]>> {
    const names = hiddenIds(records);
    const kinds = await recordKinds();
    return new Map(
      kinds.map(({ name, fields, idField }) => {
        const lines = (records.get(name) ?? [])
          // The others are those of notifications that only their users see.
          .filter(({ commentId }) => name !== 'notification' || commentId !== null)
          .map((record) =>
            fields
              .filter((field) => !HIDDEN[name]?.includes(field.name))
              // The API shows the time of the shared file, and not that of its content.
              .filter(
                (field) =>
                  field.name !== 'created' ||
                  !names
                    .get(name)
                    ?.get(record.id as number)
                    ?.startsWith('shared'),
              )
              .map((field) => {
                const value = record[field.name];
                const target = field.name === idField ? (field.refersTo ?? name) : field.refersTo;
                const known = target === undefined ? undefined : names.get(target)?.get(value as number);
                const isTime = typeof value === 'number' && value > 1e12;
                return [field.name, known ?? (isTime ? Math.floor(value / 1000) : value)];
              }),
          )
          .map((pairs) => JSON.stringify(Object.fromEntries(pairs as [string, unknown][])));
        return [name, lines.sort()];
      }),
    );
  }

  /** Returns names for the records whose ids the API does not show, by kind and id. */
  function hiddenIds(records: Records): Map<string, Map<number, string>> {
    const of = (kind: string, name: (record: any) => [number, string][]): [number, string][] =>
      (records.get(kind) ?? []).flatMap(name);
    return new Map([
      [
        'commentThread',
        new Map(
          ['issue', 'wiki', 'pullRequest', 'document'].flatMap((kind) =>
            of(kind, ({ threadId, uid, id }) => [[threadId, `${kind} ${uid ?? id}`]]),
          ),
        ),
      ],
      [
        'issueStatus',
        new Map(of('issueStatus', ({ id, projectId, standard }) => [[id, `${projectId} ${standard ?? id}`]])),
      ],
      ['document', new Map(of('document', ({ id, uid }) => [[id, uid]]))],
      ['comment', new Map(of('documentComment', ({ commentId, uid }) => [[commentId, uid]]))],
      [
        'attachment',
        new Map(
          of('sharedFile', ({ id, attachmentId }) => (attachmentId ? [[attachmentId, `shared ${id}`]] : [])),
        ),
      ],
    ]);
  }

  it('gives an archive that the service accepts', async () => {
    const checked = await checkArchive(folder.file('pulled.pms'), await recordKinds());
    expect(checked.contents.files.lost).toEqual([]);
  });

  it('gives the records of its own archive, but for what its API does not show', async () => {
    const expected = await comparable(await recordsOf(folder.file('own.pms')));
    const found = await comparable(await recordsOf(folder.file('pulled.pms')));
    for (const [kind, lines] of expected) expect([kind, found.get(kind)]).toEqual([kind, lines]);
  });

  it('gives the contents of all files, and clones of the git repositories', async () => {
    const own = await entriesOf(folder.file('own.pms'));
    const entries = await entriesOf(folder.file('pulled.pms'));
    const contents = (all: ReadonlyMap<string, Buffer>): string[] =>
      [...all].filter(([name]) => name.startsWith('files/')).map(([, content]) => content.toString());
    expect(contents(entries).sort()).toEqual(contents(own).sort());
    expect(pulled.repositories).toMatchObject({ count: 2, lost: [] });
    const [name, bundle] = [...entries].find(([entry]) => entry.endsWith('.bundle'))!;
    writeFileSync(`${work.path}/pulled.bundle`, bundle);
    const refs = await work.git('bundle', 'list-heads', 'pulled.bundle');
    expect([name, refs]).toEqual([name, expect.stringContaining('refs/heads/branch-2')]);
  });

  it('says what no key can read', () => {
    const texts = pulled.losses.map(({ text }) => text);
    expect(texts).toContain('Passwords, second factors and API keys, and the secrets of webhooks');
    expect(texts.filter((text) => /cannot be cloned|counted but not listed/.test(text))).toEqual([]);
  });

  it('goes on after an abort with the same bytes, and asks for no answer twice', async () => {
    mkdirSync(folder.file('cut-spool'));
    copyFileSync(folder.file('pulled-spool/source.json'), folder.file('cut-spool/source.json'));
    let sent = 0;
    for (const cut of CUTS) {
      const aborted = new AbortController();
      let left = Math.ceil(cut * requests);
      const onRequest = (): void => {
        sent++;
        if (--left === 0) aborted.abort();
      };
      await expect(pull('cut', { onRequest, signal: aborted.signal })).rejects.toThrow();
    }
    await pull('cut', { onRequest: () => sent++ });
    expect(readFileSync(folder.file('cut.pms')).equals(readFileSync(folder.file('pulled.pms')))).toBe(true);
    expect(sent).toBeLessThanOrEqual(requests + CUTS.length * AT_ONCE);
  });

  it('gives only the chosen projects', async () => {
    await pull('one', { projects: ['FUZZB0'] });
    const records = await recordsOf(folder.file('one.pms'));
    expect(records.get('project')).toEqual([expect.objectContaining({ projectKey: 'FUZZB0' })]);
    await checkArchive(folder.file('one.pms'), await recordKinds());
  });

  it('refuses a project that is not there, and a spool of others', async () => {
    await expect(pull('none', { projects: ['NONE'] })).rejects.toThrow('There is no project NONE');
    await expect(pull('one', { projects: ['FUZZA0'] })).rejects.toThrow(/is the spool of another source/);
  });

  it('is the same when it is read again, which asks only for lists', async () => {
    const asked: string[] = [];
    expect(await compare((path) => asked.push(path))).toEqual([]);
    expect(asked).toContainEqual(expect.stringMatching(/^\/issues\?/));
    expect(asked.filter((path) => /^\/(issues|wikis)\/\d+\/?|\/pullRequests\/\d/.test(path))).toEqual([]);
  });

  it('is compared with what was read: records by their kinds, and refs', async () => {
    const { api } = world.admin;
    const { body: issues } = await api.get<{ id: number }[]>('/issues?count=1');
    const { body: repositories } = await api.get<{ id: number }[]>('/projects/FUZZA0/git/repositories');
    await api.post(`/issues/${issues[0]!.id}/comments`, { content: 'Since then' });
    const clone = work.in(`${repositories[0]!.id}`);
    await clone.git('push', '--quiet', 'origin', 'HEAD:since-then');
    await world.whenIdle();
    const differences = await compare();
    expect(differences.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['issue', 'comment', 'activity', GIT_REFS]),
    );
    const { expected, found } = differences.find(({ kind }) => kind === 'comment')!;
    expect(found).toBe(expected + 1);
    // What is read later is a reading of its own, with the same repositories in another clone.
    const { state } = await pullToArchive(address(), folder.file('renewed.pms'), {
      ...{ environment, spool: folder.file('pulled-spool'), keys: [world.admin.key], isRenewed: true },
    });
    expect(state.refs).not.toBe(pulled.state.refs);
    await checkArchive(folder.file('renewed.pms'), await recordKinds());
  });

  const compare = (onRequest?: (path: string) => void): Promise<SourceDifference[]> =>
    compareSource(
      address(),
      { environment, spool: folder.file('pulled-spool'), keys: [world.admin.key], onRequest },
      pulled.state,
    );

  it(
    'is imported by one command, so that both spaces show the same',
    async () => {
      const target = await newSettings('target');
      // The first start adds the administrator.
      const first = await World.start(target);
      const { key } = first.admin;
      await first.stop();
      const words = ['import', address(), '--key', world.admin.key, '--keep-accounts'];
      const result = await commands.run(words, target);
      expect([result.exitCode, result.stderr.split('\n').slice(-4)]).toEqual([0, expect.anything()]);
      expect(result.stderr).toContain('Not imported:\n- Passwords');
      expect((await commands.run(['import', '--list'], target)).stdout).toContain(address());
      const copy = await World.start(target);
      const api = new ApiClient(copy.server.baseUrl, key);
      try {
        for (const path of await paths()) {
          const [before, after] = [await world.admin.api.get(path), await api.get(path)];
          expect([path, after.status, withoutTraces(after.body)]).toEqual([
            path,
            200,
            withoutTraces(before.body),
          ]);
        }
      } finally {
        await copy.stop();
      }
    },
    TIMEOUT_MS,
  );

  it('gives git repositories with names of digits others, which none of their project has', async () => {
    const path = '/projects/FUZZB0/git/repositories';
    for (const name of ['repo-2024', 'digits'])
      expect((await world.admin.api.post(path, { name })).status).toBe(200);
    await world.dataSource.query("UPDATE git_repository SET name = '2024' WHERE name = 'digits'");
    const { losses } = await pull('digits', { projects: ['FUZZB0'] });
    const repositories = (await recordsOf(folder.file('digits.pms'))).get('gitRepository') ?? [];
    const names = repositories.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['repo-2024', 'repo-2024-2']));
    expect(new Set(names).size).toBe(names.length);
    expect(losses).toContainEqual({
      text: 'Names of git repositories that the service does not accept',
      ...{ count: 1, examples: ['2024'] },
    });
    await checkArchive(folder.file('digits.pms'), await recordKinds());
  });

  /** Returns the addresses of what both spaces must show. */
  async function paths(): Promise<string[]> {
    const { api } = world.admin;
    const { body: issues } = await api.get<{ id: number }[]>('/issues?count=100&sort=created&order=asc');
    const { body: projects } = await api.get<{ id: number; projectKey: string }[]>('/projects');
    return [
      '/issues?count=100&sort=created&order=asc',
      ...issues.map(({ id }) => `/issues/${id}/comments?count=100`),
      ...projects.flatMap(({ id, projectKey }) => [
        ...[
          'issueTypes',
          'statuses',
          'categories',
          'versions',
          'customFields',
          'teams',
          'git/repositories',
        ].map((name) => `/projects/${projectKey}/${name}`),
        `/wikis?projectIdOrKey=${id}`,
        `/documents?projectId[]=${id}&offset=0&count=100`,
        `/projects/${projectKey}/files/metadata/folder`,
      ]),
    ];
  }

  /** Returns an answer without the traces of a sign-in, the port of a server, and mail addresses, which activities do not keep. */
  const withoutTraces = (body: unknown): unknown =>
    JSON.parse(
      JSON.stringify(withoutUses(body))
        .replace(/"(vendorAccount)":\{[^}]*\}/g, '"$1":{}')
        .replace(/127\.0\.0\.1:\d+|localhost:\d+/g, 'host'),
    ) as unknown;
});
