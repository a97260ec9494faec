import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { Logger } from '@nestjs/common';
import { ActivityRetentionService } from '../../src/activities/activity-retention.service';
import { NO_TIME } from '../../src/archives/archive-entries';
import { AttachmentsService } from '../../src/attachments/attachments.service';
import { FileStorage } from '../../src/attachments/file-storage';
import { COMMAND_LINE } from '../../src/audit-log/actor';
import { writeArchive } from '../../src/backup/archive/archive-file';
import { tarEnd, tarEntry } from '../../src/backup/archive/tar';
import { type Environment, readEnvironment } from '../../src/config/environment';
import { ImportError } from '../../src/imports/import.error';
import { ImportLease } from '../../src/imports/import-lease';
import { type ImportOptions } from '../../src/imports/import-options';
import { ImportWorkerService } from '../../src/imports/import-worker.service';
import { ImportsService } from '../../src/imports/imports.service';
import { NotificationRetentionService } from '../../src/notifications/notification-retention.service';
import { PushReconciliationService } from '../../src/git-repositories/pushes/push-reconciliation.service';
import { type ImportDto } from '../../src/imports/dto/import.dto';
import { Child } from '../support/child';
import { ApiClient, type ApiResponse } from '../support/api';
import { isEmbedded } from '../support/engines';
import { entriesOf, recordsOf, withoutIds, writeArchiveOf } from '../support/archives';
import { LastingInstallations } from '../support/lasting-installations';
import { FUZZ_ENVIRONMENT, populate } from '../support/fuzz/population';
import { describeWithGit, WITH_GIT } from '../support/git';
import { commitOddFile, importCommits } from '../support/git-history';
import { Commands } from '../support/pms';
import { TemporaryFolder } from '../support/sqlite';
import { World } from '../support/world';

const TIMEOUT_MS = 240_000;
const DEFAULTS: ImportOptions = { projects: {}, users: {}, keepsAccounts: false };

/** The tables that an import fills, and those that tell somebody. */
const TABLES = [
  ...[
    'project',
    'issue',
    'comment',
    'comment_thread',
    'attachment',
    'wiki',
    'document',
    'shared_file',
    'star',
  ],
  ...[
    'notification',
    'activity',
    'activity_text',
    'git_repository',
    'pull_request',
    'webhook',
    'project_member',
  ],
  ...['webhook_event', 'webhook_delivery', 'mail_letter'],
];

describe('an import of an archive', () => {
  const commands = new Commands();
  const folder = new TemporaryFolder();
  const installations = new LastingInstallations(folder);
  const worlds: World[] = [];
  let archive: string;

  interface Installation {
    settings: Record<string, string>;
    environment: Environment;
    world: World;
  }

  async function install(more: Record<string, string> = {}): Promise<Installation> {
    const settings = await installations.add(undefined, { ...FUZZ_ENVIRONMENT, ...more });
    const world = await World.start(settings);
    worlds.push(world);
    await world.stopDeliveries();
    return { settings, environment: readEnvironment(settings), world };
  }

  const targetOf = ({ world }: Installation) => ({
    baseUrl: world.server.baseUrl,
    adminKey: world.admin.key,
  });

  const newPath = (): string => folder.file(`${randomBytes(6).toString('hex')}.pms`);

  async function importInto(
    { world }: Installation,
    path: string,
    options: Partial<ImportOptions> = {},
  ): Promise<ImportDto> {
    const imports = world.service(ImportsService);
    const id = await imports.add(COMMAND_LINE, path, { ...DEFAULTS, ...options });
    await world.service(ImportWorkerService).run(id);
    return imports.get(id);
  }

  beforeAll(async () => {
    const source = await install();
    const { keys, values } = await populate(targetOf(source), 0);
    const { world } = source;
    // A person who has only attached a file, and an agent.
    const normalUser = new ApiClient(world.server.baseUrl, keys.NormalUser);
    const { body: upload } = await normalUser.upload<{ id: number }>('content');
    const commented = await normalUser.post<{ id: number }>(`/issues/${values.get('issueId')![0]}/comments`, {
      ...{ content: 'With a file', attachmentId: [upload.id] },
    });
    expect(commented.status).toBe(201);
    await world.dataSource.query("INSERT INTO agent (key_id, name, key_name) VALUES (7000, 'Bot', 'Key')");
    await world.dataSource.query('UPDATE comment SET agent_key_id = 7000 WHERE id = ?', [commented.body.id]);
    const issue = await world.admin.api.post<{ id: number }>('/issues', {
      projectId: (await world.admin.api.get<{ id: number }[]>('/projects')).body[0]!.id,
      summary: 'Zyzzyva',
      issueTypeId: (await world.admin.api.get<{ id: number }[]>('/projects/FUZZA0/issueTypes')).body[0]!.id,
      priorityId: 3,
      description: 'long '.repeat(1000),
    });
    expect(issue.status).toBe(201);
    await world.whenIdle();
    archive = await writeArchiveOf(source.environment, newPath());
  }, TIMEOUT_MS);

  // A server has a limited number of connections.
  afterEach(async () => {
    for (const world of worlds.splice(1)) await world.stop();
  });

  afterAll(async () => {
    await commands.stop();
    for (const world of worlds) await world.stop();
    await installations.drop();
    folder.remove();
  });

  it(
    'gives an empty space the same records, with the same ids',
    async () => {
      const target = await install();
      const imported = await importInto(target, archive, { keepsAccounts: true });
      expect(imported).toMatchObject({ state: 'done', error: '' });
      const again = await writeArchiveOf(target.environment, newPath());
      const [before, after] = [await entriesOf(archive), await entriesOf(again)];
      expect([...after.keys()]).toEqual([...before.keys()]);
      const differing = [...before].filter(([name, content]) => !after.get(name)?.equals(content));
      // The space has its administrator already, and webhooks are disabled.
      expect(differing.map(([name]) => name)).toEqual([
        'records/user/000001.jsonl',
        'records/webhookHealth/000001.jsonl',
        'contents.json',
      ]);
    },
    TIMEOUT_MS,
  );

  it(
    'gives a space with other content the same records, with other ids',
    async () => {
      const target = await install();
      await populate(targetOf(target), 1);
      const { body: before } = await target.world.admin.api.get<{ projectKey: string }[]>('/projects');
      const imported = await importInto(target, archive);
      expect(imported).toMatchObject({ state: 'done', error: '', report: { differences: [] } });
      const { body: after } = await target.world.admin.api.get<{ projectKey: string }[]>('/projects');
      const keys = after
        .map(({ projectKey }) => projectKey)
        .filter((key) => !before.some(({ projectKey }) => projectKey === key));
      expect(keys.sort()).toEqual(imported.plan!.projects.map(({ as }) => as).sort());
      const again = await writeArchiveOf(target.environment, newPath(), keys);
      const [expected, found] = [
        await withoutIds(await recordsOf(archive)),
        await withoutIds(await recordsOf(again)),
      ];
      const changed = ['user', 'webhookHealth', 'notification', 'watching'];
      for (const [kind, lines] of expected) {
        if (!changed.includes(kind)) expect([kind, found.get(kind)]).toEqual([kind, lines]);
        else expect([kind, found.get(kind)!.length]).toEqual([kind, lines.length]);
      }
    },
    TIMEOUT_MS,
  );

  it(
    'keeps ids of things that are gone in an empty space, also if no record of their kinds is left',
    async () => {
      const source = await install();
      const { world } = source;
      const { api } = world.admin;
      const project = await world.addProject();
      const versions = `/projects/${project.key}/versions`;
      const { body: version } = await api.post<{ id: number }>(versions, { name: 'Gone' });
      expect((await api.delete(`${versions}/${version.id}`)).status).toBe(200);
      const mention = { content: 'Ask <@T3>' };
      expect((await api.post(`/issues/${project.issueId}/comments`, mention)).status).toBe(201);
      await world.whenIdle();
      const path = await writeArchiveOf(source.environment, newPath());
      const before = await recordsOf(path);
      expect([before.get('version'), before.get('team')]).toEqual([undefined, undefined]);
      const empty = await install();
      expect(await importInto(empty, path)).toMatchObject({ state: 'done', error: '' });
      const after = await recordsOf(await writeArchiveOf(empty.environment, newPath()));
      for (const kind of ['activity', 'comment']) {
        expect([kind, JSON.stringify(before.get(kind))]).toEqual([kind, expect.stringMatching(/Gone|<@T3>/)]);
        expect([kind, after.get(kind)]).toEqual([kind, before.get(kind)]);
      }
      const other = await install();
      await populate(targetOf(other), 1);
      const renamed = { projects: { [project.key]: 'GONE' } };
      expect(await importInto(other, path, renamed)).toMatchObject({ state: 'done', error: '' });
      const written = await other.world.dataSource.query<{ content: string }[]>(
        "SELECT content FROM comment WHERE content LIKE 'Ask %'",
      );
      expect(written).toEqual([{ content: 'Ask <@T-3>' }]);
    },
    TIMEOUT_MS,
  );

  it(
    'goes on after a kill at any point, with the same result',
    async () => {
      const target = await install();
      const expected = await withoutIds(await recordsOf(archive));
      const { world } = target;
      const id = await world
        .service(ImportsService)
        .add(COMMAND_LINE, archive, { ...DEFAULTS, keepsAccounts: true });
      // A killed process neither releases its lease nor notes anything.
      const end = vi.spyOn(ImportLease.prototype, 'stop').mockRejectedValue(new Error('killed'));
      const release = vi.spyOn(ImportLease.prototype, 'release').mockRejectedValue(new Error('killed'));
      let kills = 0;
      for (let round = 1; kills < 20 || round < 40; round++) {
        const isAfter = round % 2 === 0;
        let left = 1 + (round % 5);
        const { move } = ImportLease.prototype;
        const killed = vi.spyOn(ImportLease.prototype, 'move').mockImplementation(async function (
          this: ImportLease,
          ...parameters
        ) {
          if (!isAfter && --left === 0) throw new Error('killed');
          await move.apply(this, parameters);
          if (isAfter && --left === 0) throw new Error('killed');
        });
        const outcome = await world
          .service(ImportWorkerService)
          .run(id)
          .catch((error: unknown) => error);
        killed.mockRestore();
        if (!(outcome instanceof Error)) break;
        expect(outcome.message).toBe('killed');
        kills++;
        await world.dataSource.query('UPDATE import_run SET lease_until = 0');
      }
      end.mockRestore();
      release.mockRestore();
      expect(kills).toBeGreaterThanOrEqual(20);
      expect(await world.service(ImportsService).get(id)).toMatchObject({ state: 'done', error: '' });
      const found = await withoutIds(await recordsOf(await writeArchiveOf(target.environment, newPath())));
      for (const [kind, lines] of expected) {
        if (!['user', 'webhookHealth'].includes(kind)) expect([kind, found.get(kind)]).toEqual([kind, lines]);
      }
    },
    TIMEOUT_MS,
  );

  it(
    'stops without publishing if the ids that its check has stored are not complete',
    async () => {
      const { world, settings } = await install();
      const imports = world.service(ImportsService);
      const id = await imports.add(COMMAND_LINE, archive, DEFAULTS);
      const { move } = ImportLease.prototype;
      const spy = vi.spyOn(ImportLease.prototype, 'move').mockImplementation(async function (
        this: ImportLease,
        to,
        work,
      ) {
        if (to.kind === 'issue') throw new ImportError('Stopped');
        await move.call(this, to, work);
      });
      await expect(world.service(ImportWorkerService).run(id)).rejects.toThrow('Stopped');
      spy.mockRestore();
      const [spool] = readdirSync(settings.IMPORT_ROOT!) as [string];
      const ids = join(settings.IMPORT_ROOT!, spool, 'ids', 'issue');
      for (const length of [readFileSync(ids).length - 3, 0]) {
        truncateSync(ids, length);
        await imports.resume(id, false);
        const message =
          'The ids of issue that the check has stored are not complete: cancel the import, and begin again.';
        await expect(world.service(ImportWorkerService).run(id)).rejects.toThrow(message);
        expect(await imports.get(id)).toMatchObject({ state: 'stopped', error: message });
      }
      expect((await world.admin.api.get('/projects?all=true')).body).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'is done by one of two workers',
    async () => {
      const { world } = await install();
      const id = await world.service(ImportsService).add(COMMAND_LINE, archive, DEFAULTS);
      const worker = world.service(ImportWorkerService);
      const outcomes = await Promise.all([worker.run(id), worker.run(id)]);
      expect(outcomes.filter((run) => run === undefined)).toHaveLength(1);
      expect(await world.service(ImportsService).get(id)).toMatchObject({ state: 'done' });
    },
    TIMEOUT_MS,
  );

  it(
    'writes nothing more once another worker has taken over',
    async () => {
      const { world } = await install();
      const id = await world.service(ImportsService).add(COMMAND_LINE, archive, DEFAULTS);
      const { move } = ImportLease.prototype;
      let moves = 0;
      const spy = vi.spyOn(ImportLease.prototype, 'move').mockImplementation(async function (
        this: ImportLease,
        ...parameters
      ) {
        if (++moves === 10) {
          await world.dataSource.query("UPDATE import_run SET lease_token = 'another' WHERE id = ?", [id]);
        }
        return move.apply(this, parameters);
      });
      await expect(world.service(ImportWorkerService).run(id)).rejects.toThrow('Another process');
      spy.mockRestore();
      expect(moves).toBe(10);
      await world.dataSource.query('UPDATE import_run SET lease_until = 0 WHERE id = ?', [id]);
      await world.service(ImportWorkerService).run(id);
      expect(await world.service(ImportsService).get(id)).toMatchObject({ state: 'done' });
    },
    TIMEOUT_MS,
  );

  it(
    'shows nothing before its end, notifies nobody, and leaves nothing when it is cancelled',
    async () => {
      const target = await install();
      const { world } = target;
      const counts = async (): Promise<Record<string, number>> => {
        const found: Record<string, number> = {};
        for (const table of [...TABLES, 'user', 'team']) {
          const [{ count }] = await world.dataSource.query<[{ count: number | string }]>(
            `SELECT COUNT(*) AS count FROM \`${table}\``,
          );
          found[table] = Number(count);
        }
        return found;
      };
      const before = await counts();
      const id = await world.service(ImportsService).add(COMMAND_LINE, archive, DEFAULTS);
      const { move } = ImportLease.prototype;
      const seen: unknown[] = [];
      const spy = vi.spyOn(ImportLease.prototype, 'move').mockImplementation(async function (
        this: ImportLease,
        to,
        work,
      ) {
        if (to.phase === 'publish') throw new ImportError('Stopped before the end');
        await move.call(this, to, work);
        const { body: projects } = await world.admin.api.get('/projects?all=true');
        const { body: issues } = await world.admin.api.get('/issues?keyword=Zyzzyva');
        const { body: count } = await world.admin.api.get('/issues/count');
        seen.push(projects, issues, count);
      });
      await expect(world.service(ImportWorkerService).run(id)).rejects.toThrow('Stopped before the end');
      spy.mockRestore();
      expect(new Set(seen.map((one) => JSON.stringify(one)))).toEqual(new Set(['[]', '{"count":0}']));
      const written = await counts();
      expect(written.issue).toBeGreaterThan(0);
      for (const table of ['webhook_event', 'webhook_delivery', 'mail_letter'])
        expect(written[table]).toBe(0);
      expect(await world.service(ImportsService).get(id)).toMatchObject({
        state: 'stopped',
        error: 'Stopped before the end',
      });
      const cancelled = await world.admin.api.delete<ImportDto>(`/space/imports/${id}`);
      expect(cancelled.body.state).toMatch(/^cancell/);
      await world.whenIdle();
      world.service(ImportWorkerService).start();
      await world.whenIdle();
      await world.service(AttachmentsService).removeExpired();
      expect((await world.admin.api.get<ImportDto>(`/space/imports/${id}`)).body.state).toBe('cancelled');
      expect(await counts()).toEqual(before);
      expect(readdirSync(target.settings.IMPORT_ROOT!)).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it.each(['sharedFile', 'publish'])(
    'is removed as a whole although its archive is gone: cancelled before %s',
    async (stop) => {
      // With agents, teams and people of its own, and with ids that stay and ids that change.
      for (const isEmpty of [true, false]) {
        const target = await install();
        const { world } = target;
        if (!isEmpty) await populate(targetOf(target), 1);
        await world.whenIdle();
        const counts = async (): Promise<Record<string, number>> => {
          const found: Record<string, number> = {};
          for (const table of [...TABLES, 'user', 'team', 'team_member', 'agent']) {
            const [{ count }] = await world.dataSource.query<[{ count: number | string }]>(
              `SELECT COUNT(*) AS count FROM \`${table}\``,
            );
            found[table] = Number(count);
          }
          return found;
        };
        const before = await counts();
        const options = { ...DEFAULTS, projects: { FUZZA0: 'COPYA', FUZZB0: 'COPYB' } };
        const id = await world.service(ImportsService).add(COMMAND_LINE, archive, options);
        const { move } = ImportLease.prototype;
        const spy = vi.spyOn(ImportLease.prototype, 'move').mockImplementation(async function (
          this: ImportLease,
          to,
          work,
        ) {
          if (to.kind === stop || to.phase === stop) throw new ImportError('Stopped before the end');
          await move.call(this, to, work);
        });
        await expect(world.service(ImportWorkerService).run(id)).rejects.toThrow('Stopped before the end');
        spy.mockRestore();
        const written = await counts();
        for (const table of ['attachment', 'user', 'team', 'agent', 'project'])
          expect([table, written[table]! > before[table]!]).toEqual([table, true]);
        await rm(target.settings.IMPORT_ROOT!, { recursive: true });
        expect((await world.admin.api.delete<ImportDto>(`/space/imports/${id}`)).status).toBe(200);
        await world.whenIdle();
        world.service(ImportWorkerService).start();
        await world.whenIdle();
        expect((await world.admin.api.get<ImportDto>(`/space/imports/${id}`)).body.state).toBe('cancelled');
        expect(await counts()).toEqual(before);
      }
    },
    TIMEOUT_MS,
  );

  it(
    'has new keys of projects in its texts, which still are those that were written',
    async () => {
      const { world, environment } = await install();
      const { api } = world.admin;
      const project = await world.addProject();
      const add = async (path: string, body: object): Promise<{ id: number }> =>
        (await api.post(path, body)).body;
      const [key, other] = [`${project.key}-1`, `X${project.key}-1`];
      const text = `See ${key}, ${other} and \`${key}\`: http://localhost/view/${key}`;
      const long = `${text} ${'long '.repeat(500)}`.trim();
      const { id } = await add('/issues', {
        projectId: project.id,
        ...{ summary: `Like ${key}`, issueTypeId: project.issueTypeId, priorityId: 3, description: long },
      });
      await add(`/issues/${id}/comments`, { content: text });
      await api.patch(`/issues/${id}`, { parentIssueId: project.issueId });
      await add('/stars', { issueId: id });
      const { id: wikiId } = await add('/wikis', {
        projectId: project.id,
        name: `Like ${key}`,
        content: text,
      });
      await api.patch(`/wikis/${wikiId}`, { content: `${text} again` });
      const { id: documentId } = await add('/documents', {
        projectId: project.id,
        title: 'Document',
        content: text,
      });
      await add(`/documents/${documentId}/comments`, { content: text });
      await world.whenIdle();
      const path = await writeArchiveOf(environment, newPath(), [project.key]);
      const target = await install();
      const imported = await importInto(target, path, { projects: { [project.key]: 'NEW' } });
      expect(imported).toMatchObject({ state: 'done', report: { differences: [] } });
      const renamed = `See NEW-1, ${other} and \`${key}\`: http://localhost/view/NEW-1`;
      const { api: reader } = target.world.admin;
      const { body: issue } = await reader.get('/issues/NEW-2');
      expect(issue).toMatchObject({ summary: `Like ${key}`, description: long.replace(text, renamed) });
      const { body: comments } = await reader.get<any[]>('/issues/NEW-2/comments?order=asc');
      expect(comments[0].content).toBe(renamed);
      expect(comments[1].changeLog).toMatchObject([{ field: 'parentIssue', newValue: 'NEW-1' }]);
      const { body: wikis } = await reader.get<any[]>('/wikis?projectIdOrKey=NEW');
      const { id: copyId } = wikis.find(({ name }) => name === `Like ${key}`);
      expect((await reader.get(`/wikis/${copyId}`)).body).toMatchObject({ content: `${renamed} again` });
      expect((await reader.get(`/wikis/${copyId}/history?order=asc`)).body[0]).toMatchObject({
        content: renamed,
      });
      const { body: documents } = await reader.get<any[]>('/documents?offset=0&count=10');
      expect(documents[0].plain).toBe(renamed.replaceAll('`', ''));
      expect(documents[0].json).toContain('http://localhost/view/NEW-1');
      const { body: activities } = await reader.get<any[]>('/projects/NEW/activities?count=100');
      const created = activities.find(({ type, content }) => type === 1 && content.key_id === 2);
      expect(created.content.description).toBe(long.replace(text, renamed));
      const [star] = await target.world.dataSource.query<[{ title: string }]>('SELECT title FROM star');
      expect(star.title).toBe(`[NEW-2] Like ${key}`);
    },
    TIMEOUT_MS,
  );

  it(
    'finds imported texts, and refuses a key that is taken unless another is given',
    async () => {
      const { world } = await install();
      const form = (): FormData => {
        const data = new FormData();
        data.set('file', new Blob([readFileSync(archive)]), 'projects.pms');
        return data;
      };
      const upload = async (data: FormData): Promise<ImportDto> => {
        const { status, body } = await world.admin.api.post<ImportDto>('/space/imports', data);
        expect([status, body]).toEqual([201, expect.objectContaining({ name: 'projects.pms' })]);
        await world.service(ImportWorkerService).whenIdle();
        return (await world.admin.api.get<ImportDto>(`/space/imports/${body.id}`)).body;
      };
      expect(await upload(form())).toMatchObject({ state: 'done', error: '' });
      const again = await upload(form());
      expect(again.state).toBe('refused');
      expect(again.error).toContain('FUZZA0');
      const renamed = form();
      renamed.set('project', 'FUZZA0:COPYA,FUZZB0:COPYB');
      expect(await upload(renamed)).toMatchObject({ state: 'done', error: '' });
      const { body: issues } = await world.admin.api.get<{ issueKey: string }[]>('/issues?keyword=Zyzzyva');
      expect(issues.map(({ issueKey }) => issueKey.split('-')[0]).sort()).toEqual(['COPYA', 'FUZZA0']);
      const { body: listed } = await world.admin.api.get<ImportDto[]>('/space/imports');
      expect(listed.map(({ state }) => state)).toEqual(['done', 'refused', 'done']);
    },
    TIMEOUT_MS,
  );

  it(
    'ends although retention removes old activities and notifications before the comparison',
    async () => {
      const target = await install({ ACTIVITY_DAYS: '1', NOTIFICATION_DAYS: '1' });
      const { world } = target;
      const count = async (): Promise<number> =>
        Number(
          (
            await world.dataSource.query<[{ count: number | string }]>(
              'SELECT COUNT(*) AS count FROM activity',
            )
          )[0].count,
        );
      const later = Date.now() + 10 * 86_400_000;
      let before = 0;
      const { move } = ImportLease.prototype;
      const spy = vi.spyOn(ImportLease.prototype, 'move').mockImplementation(async function (
        this: ImportLease,
        ...parameters
      ) {
        if (parameters[0].phase === 'verify') {
          before = await count();
          await world.service(ActivityRetentionService).removeOld(later);
          await world.service(NotificationRetentionService).removeOld(later);
        }
        return move.apply(this, parameters);
      });
      expect(await importInto(target, archive)).toMatchObject({ state: 'done', error: '' });
      spy.mockRestore();
      expect(await count()).toBeLessThan(before);
    },
    TIMEOUT_MS,
  );

  /** Writes an archive with a project that is larger than any record. */
  async function withLongLine(): Promise<string> {
    const entries = await entriesOf(archive);
    const projects = 'records/project/000001.jsonl';
    const [first, second, ...rest] = entries.get(projects)!.toString().split('\n');
    const long = JSON.stringify({ ...(JSON.parse(second!) as object), name: 'x'.repeat(7 * 1024 * 1024) });
    entries.set(projects, Buffer.from([first, long, ...rest].join('\n')));
    const blocks = [...entries].flatMap(([name, content]) => [...tarEntry(name, content, NO_TIME)]);
    const path = newPath();
    await writeArchive(path, Readable.from([...blocks, tarEnd()]));
    return path;
  }

  it(
    'takes over the longest texts that the service accepts',
    async () => {
      const source = await install();
      const { api } = source.world.admin;
      const project = await source.world.addProject();
      const description = '"課"\n'.repeat(25_000);
      const issue = `/issues/${project.issueId}`;
      expect((await api.patch(issue, { description })).status).toBe(200);
      expect((await api.patch(issue, { description: description.replaceAll('課', '題') })).status).toBe(200);
      const page = { projectId: project.id, name: 'Long', content: '\u0001\\"'.repeat(33_333) };
      expect((await api.post('/wikis', page)).status).toBe(201);
      // Its JSON is nearly ten times as long.
      const document = { projectId: project.id, title: 'Long', content: '**課** '.repeat(9000) };
      expect((await api.post('/documents', document)).status).toBe(201);
      await source.world.whenIdle();
      const path = await writeArchiveOf(source.environment, newPath());
      const before = await recordsOf(path);
      expect(String(before.get('document')?.[0]?.json).length).toBeGreaterThan(700_000);
      const target = await install();
      expect(await importInto(target, path)).toMatchObject({ state: 'done', error: '' });
      const after = await recordsOf(await writeArchiveOf(target.environment, newPath()));
      for (const kind of ['issue', 'comment', 'wiki', 'document'])
        expect([kind, after.get(kind)]).toEqual([kind, before.get(kind)]);
    },
    TIMEOUT_MS,
  );

  it(
    'refuses a damaged archive, and stores nothing of it',
    async () => {
      const { world, settings } = await install();
      const bytes = readFileSync(archive);
      const overlong = await withLongLine();
      for (const [name, content] of [
        ['overlong', readFileSync(overlong)],
        ['truncated', bytes.subarray(0, bytes.length / 2)],
        ['changed', Buffer.concat([bytes.subarray(0, 5000), Buffer.from('x'), bytes.subarray(5001)])],
        ['other', Buffer.from('no archive')],
      ] as const) {
        const path = newPath();
        writeFileSync(path, content);
        const imports = world.service(ImportsService);
        const id = await imports.add(COMMAND_LINE, path, DEFAULTS);
        await expect(world.service(ImportWorkerService).run(id)).rejects.toThrow();
        const run = await imports.get(id);
        expect([name, run]).toEqual([name, expect.objectContaining({ state: 'refused' })]);
        if (name === 'overlong')
          expect(run.error).toContain('line 2 of "records/project/000001.jsonl" has more than 6.0 MiB');
        if (name === 'other')
          expect(run.error).toBe(`${basename(path)} is not an archive of projects of this service.`);
      }
      const [{ count }] = await world.dataSource.query<[{ count: number | string }]>(
        'SELECT COUNT(*) AS count FROM project',
      );
      expect(Number(count)).toBe(0);
      expect(readdirSync(settings.IMPORT_ROOT!)).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'stops while its archive cannot be opened, and goes on later',
    async () => {
      const { world, settings } = await install();
      const imports = world.service(ImportsService);
      const id = await imports.add(COMMAND_LINE, archive, DEFAULTS);
      const [spool] = readdirSync(settings.IMPORT_ROOT!) as [string];
      const [place, aside] = [join(settings.IMPORT_ROOT!, spool), folder.file('aside')];
      renameSync(place, aside);
      await expect(world.service(ImportWorkerService).run(id)).rejects.toThrow('cannot be read');
      const stopped = await imports.get(id);
      expect(stopped).toMatchObject({ state: 'stopped', progress: { phase: 'check' } });
      expect(stopped.error).toContain('ENOENT');
      await rm(place, { recursive: true, force: true });
      renameSync(aside, place);
      await imports.resume(id, false);
      await world.service(ImportWorkerService).run(id);
      expect(await imports.get(id)).toMatchObject({ state: 'done', error: '' });
    },
    TIMEOUT_MS,
  );

  it(
    'is planned by a dry run, and made by the command',
    async () => {
      const { world, settings } = await install();
      await world.stop();
      worlds.splice(worlds.indexOf(world), 1);
      const pms = (...words: string[]) => commands.run(words, settings);
      const planned = await pms('import', archive, '--dry-run');
      expect(planned).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('issue') as unknown });
      expect(planned.stdout).toContain(
        'People: 0 by --users, 1 by mail address, 0 by login name, 6 to be added',
      );
      expect((await pms('import', '--list')).stdout).toBe('There are no imports.\n');
      const words = ['import', archive, '--project', 'FUZZA0:MINE', '--users', folder.file('people.csv')];
      writeFileSync(folder.file('people.csv'), '# The people\nfuzz-0-NormalUser,\n');
      expect((await pms(...words)).stderr).toContain('Line 2 of ');
      writeFileSync(folder.file('people.csv'), '# The people\nfuzz-0-NormalUser: 1\n');
      const imported = await pms(...words, '--name', 'backlog://example.com');
      expect([imported.exitCode, imported.stderr, imported.stdout]).toEqual([
        0,
        expect.any(String),
        expect.stringContaining('Imported 2 projects: MINE, FUZZB0.'),
      ]);
      expect(await pms('import', archive, '--project', 'FUZZA0')).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('is not a pair such as OLD:NEW') as unknown,
      });
      expect((await pms('import', '--list')).stdout).toMatch(/backlog:\/\/example\.com +done/);
    },
    TIMEOUT_MS,
  );

  it(
    'is the same after kills of the command by SIGKILL at different times',
    async () => {
      const { world, settings, environment } = await install();
      await world.stop();
      worlds.splice(worlds.indexOf(world), 1);
      const listed = async (): Promise<ImportDto[]> =>
        JSON.parse((await commands.run(['import', '--list', '--json'], settings)).stdout) as ImportDto[];
      const nextWords = async (): Promise<string[] | undefined> => {
        const [last] = await listed();
        if (last?.state === 'done') return undefined;
        const accounts = ['import', archive, '--keep-accounts'];
        return last ? ['import', '--resume', String(last.id)] : accounts;
      };
      for (const delay of [1500, 1700, 1900, 2100, 2300, 2600, 3000]) {
        const words = await nextWords();
        if (!words) break;
        const child = new Child('run-pms', JSON.stringify(settings), ...words);
        const timer = setTimeout(() => child.signal('SIGKILL'), delay);
        await child.outcome();
        clearTimeout(timer);
      }
      // On a server, the lease of the killed process must expire first.
      for (const end = Date.now() + 90_000; Date.now() < end;) {
        const words = await nextWords();
        if (!words || (await commands.run(words, settings)).exitCode === 0) break;
      }
      expect((await listed())[0]).toMatchObject({ state: 'done' });
      const expected = await withoutIds(await recordsOf(archive));
      const found = await withoutIds(await recordsOf(await writeArchiveOf(environment, newPath())));
      for (const [kind, lines] of expected) {
        if (!['user', 'webhookHealth'].includes(kind)) expect([kind, found.get(kind)]).toEqual([kind, lines]);
      }
    },
    TIMEOUT_MS,
  );

  it.runIf(isEmbedded)(
    'is made by the running service that has the embedded database, which goes on answering',
    async () => {
      const place = await mkdtemp(join(tmpdir(), 'pms-'));
      const key = 'key-of-the-administrator-0123456789';
      const settings = {
        PORT: '0',
        DATABASE_URL: `sqlite:${place}/service.db`,
        STORAGE_URL: `file:${place}/files`,
        GIT_ROOT: `${place}/git`,
        IMPORT_ROOT: `${place}/imports`,
        ADMIN_API_KEY: key,
        DEMO_DATA: 'false',
        RATE_LIMIT: 'off',
      };
      const service = new Child('run-service', JSON.stringify(settings));
      let address: string | undefined;
      while (address === undefined) {
        const line = await service.nextLine();
        if (line === undefined) throw new Error('The service did not start.');
        address = /^ *Service +(http:\S+)/.exec(line)?.[1];
      }
      const api = new ApiClient(address, key);
      const answered = new Set<number>();
      const over = new AbortController();
      const reading = (async () => {
        while (!over.signal.aborted) answered.add((await api.get('/users/myself')).status);
      })();
      const imported = await commands.run(['import', archive, '--json'], settings);
      over.abort();
      await reading;
      expect([imported.exitCode, imported.stderr]).toEqual([0, expect.stringContaining('Import 1.')]);
      expect(JSON.parse(imported.stdout)).toMatchObject({ state: 'done', createdUserId: null });
      expect([...answered]).toEqual([200]);
      expect((await api.get<unknown[]>('/projects?all=true')).body).toHaveLength(2);
      await service.kill();
      await rm(place, { recursive: true, force: true });
    },
    TIMEOUT_MS,
  );

  it(
    'adds placeholders, which a command joins to users with everything that names them',
    async () => {
      const target = await install();
      const { world } = target;
      await importInto(target, archive);
      const { body: users } =
        await world.admin.api.get<{ id: number; userId: string; mailAddress: string }[]>('/users');
      const idOf = (name: string): number => users.find(({ userId }) => userId === name)!.id;
      const [from, of] = ['fuzz-0-NormalUser', 'fuzz-0-Reporter'].map(idOf) as [number, number];
      expect(users.find(({ id }) => id === from)).toMatchObject({ mailAddress: '' });
      const merge = (placeholder: string, user: string): Promise<ApiResponse> =>
        world.admin.api.post(`/users/${idOf(placeholder)}/merge`, { intoUserId: idOf(user) });
      expect((await merge('admin', 'fuzz-0-Reporter')).text).toContain('This user is no placeholder');
      expect((await merge('fuzz-0-Reporter', 'fuzz-0-Reporter')).text).toContain('There is no other user');
      const { body: types } = await world.admin.api.get<{ id: number }[]>('/projects/FUZZA0/issueTypes');
      const { body: project } = await world.admin.api.get<{ id: number }>('/projects/FUZZA0');
      const { body: issue } = await world.admin.api.post<{ id: number }>('/issues', {
        ...{ projectId: project.id, summary: 'Ask', issueTypeId: types[0]!.id, priorityId: 3 },
        ...{ description: `Ask <@U${from}>`, assigneeId: from },
      });
      expect((await merge('fuzz-0-NormalUser', 'fuzz-0-Reporter')).status).toBe(200);
      const { body: found } = await world.admin.api.get(`/issues/${issue.id}`);
      expect(found).toMatchObject({ description: `Ask <@U${of}>`, assignee: { id: of } });
      for (const [table, column] of [
        ['issue', 'updated_user_id'],
        ['notification', 'sender_id'],
        ['star', 'receiver_id'],
        ['project_member', 'user_id'],
        ['import_record', 'target_id'],
        ['user', 'id'],
      ] as const) {
        // Records of other kinds may have the same id.
        const only = table === 'import_record' ? " AND kind = 'user'" : '';
        const rows = await world.dataSource.query<unknown[]>(
          `SELECT 1 FROM \`${table}\` WHERE ${column} = ?${only}`,
          [from],
        );
        expect([table, rows]).toEqual([table, []]);
      }
      const activities = await world.dataSource.query<{ content: string }[]>(
        'SELECT content FROM activity WHERE content LIKE ?',
        [`%"id":${from},"userId"%`],
      );
      expect(activities).toEqual([]);
      const { body: entries } = await world.admin.api.get('/space/auditLog?action[]=user.merge');
      expect(entries).toMatchObject([{ action: 'user.merge', subjectId: of }]);
    },
    TIMEOUT_MS,
  );

  it(
    'takes people for those whom a file names',
    async () => {
      const target = await install();
      const { world } = target;
      const person = await world.addUser();
      const [{ userId }] = await world.dataSource.query<[{ userId: string }]>(
        'SELECT user_id AS userId FROM user WHERE id = ?',
        [person.id],
      );
      const imported = await importInto(target, archive, { users: { 'fuzz-0-NormalUser': userId } });
      expect(imported.plan!.people).toMatchObject({ option: 1 });
      expect(imported.plan!.unknownPeople).not.toContain('fuzz-0-NormalUser');
      const renamed = { FUZZA0: 'C', FUZZB0: 'D' };
      await world.dataSource.query(
        "UPDATE user SET mail_address = 'Only@example.com' WHERE user_id = 'admin'",
      );
      const others = { 'fuzz-0-Reporter': String(person.id), 'fuzz-0-Viewer': 'only@example.com' };
      const again = await importInto(target, archive, { projects: renamed, users: others });
      expect(again.plan!.people).toMatchObject({ option: 2 });
      await world.dataSource.query("UPDATE user SET mail_address = 'only@example.com'");
      const projects = { FUZZA0: 'A', FUZZB0: 'B' };
      await expect(importInto(target, archive, { projects, users: others })).rejects.toThrow(
        'Several users have the mail address "only@example.com": give a login name.',
      );
      await expect(importInto(target, archive, { projects, users: { nobody: userId } })).rejects.toThrow(
        'The archive has no user "nobody".',
      );
    },
    TIMEOUT_MS,
  );

  it(
    'stops when the storage fails, and goes on when it works again',
    async () => {
      const target = await install();
      const { world } = target;
      const imports = world.service(ImportsService);
      const id = await imports.add(COMMAND_LINE, archive, DEFAULTS);
      const worker = world.service(ImportWorkerService);
      const storage = world.server.app.get(FileStorage);
      let writes = 0;
      const full = vi.spyOn(storage, 'write').mockImplementation((key, content) => {
        content.destroy();
        if (++writes < 5)
          return Promise.reject(Object.assign(new Error('ENOSPC: no space'), { code: 'ENOSPC' }));
        return Promise.reject(new Error(key));
      });
      await expect(worker.run(id)).rejects.toThrow();
      full.mockRestore();
      const stopped = await imports.get(id);
      expect(stopped).toMatchObject({ state: 'stopped', progress: { phase: 'files' } });
      expect(stopped.error).toContain('ENOSPC');
      await imports.resume(id, false);
      await worker.run(id);
      expect(await imports.get(id)).toMatchObject({ state: 'done', error: '', report: { differences: [] } });
    },
    TIMEOUT_MS,
  );
});

describeWithGit('an import of git repositories', () => {
  const folder = new TemporaryFolder();
  const installations = new LastingInstallations(folder);
  const worlds: World[] = [];

  async function install(): Promise<{ world: World; environment: Environment }> {
    const settings = await installations.add(undefined, WITH_GIT);
    const world = await World.start(settings);
    worlds.push(world);
    await world.stopDeliveries();
    return { world, environment: readEnvironment(settings) };
  }

  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.stop();
  });

  afterAll(async () => {
    await installations.drop();
    folder.remove();
  });

  it(
    'has their branches and commits, and records no push',
    async () => {
      const source = await install();
      const project = await source.world.addProject();
      const [commit] = await importCommits(source.world, project.repositoryId, [
        { ref: 'refs/heads/main', message: 'A commit', files: [{ path: 'file', content: 'content' }] },
        { ref: 'refs/heads/other', files: [{ path: 'other', content: 'content' }] },
      ]);
      await source.world.whenIdle();
      const path = await writeArchiveOf(source.environment, folder.file('git.pms'));
      const { world } = await install();
      await world.addProject();
      const id = await world.service(ImportsService).add(COMMAND_LINE, path, {
        ...DEFAULTS,
        projects: { [project.key]: 'WITHGIT' },
      });
      await world.service(ImportWorkerService).run(id);
      const at = `/projects/WITHGIT/git/repositories/${project.repositoryName}`;
      const { body: branches } = await world.admin.api.get(`${at}/branches`);
      expect(branches.map((branch: { name: string }) => branch.name).sort()).toEqual(['main', 'other']);
      expect(JSON.stringify(branches)).toContain(commit);
      const activities = async (): Promise<number> =>
        (await world.admin.api.get<unknown[]>('/projects/WITHGIT/activities?activityTypeId[]=12')).body
          .length;
      const before = await activities();
      world.service(PushReconciliationService).start();
      await world.whenIdle();
      expect(await activities()).toBe(before);
      const [{ size }] = await world.dataSource.query<[{ size: number | string }]>(
        'SELECT MAX(size) AS size FROM git_repository',
      );
      expect(Number(size)).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );

  it(
    'keeps the faults of old programs that pushes may have, and refuses others',
    async () => {
      const source = await install();
      const project = await source.world.addProject();
      const { repositoryId } = project;
      const old = await commitOddFile(source.world, repositoryId, 'refs/heads/main', '0100644 old');
      const { world } = await install();
      const importAs = async (key: string): Promise<ImportDto> => {
        const path = await writeArchiveOf(source.environment, folder.file(`${key}.pms`));
        const imports = world.service(ImportsService);
        const options = { ...DEFAULTS, projects: { [project.key]: key } };
        const id = await imports.add(COMMAND_LINE, path, options);
        await world
          .service(ImportWorkerService)
          .run(id)
          .catch(() => undefined);
        return imports.get(id);
      };
      expect(await importAs('OLD')).toMatchObject({ state: 'done', error: '' });
      const at = `/projects/OLD/git/repositories/${project.repositoryName}/branches`;
      expect(JSON.stringify((await world.admin.api.get(at)).body)).toContain(old);
      await commitOddFile(source.world, repositoryId, 'refs/heads/odd', '100644 .git');
      const refused = await importAs('ODD');
      expect(refused).toMatchObject({ state: 'stopped', progress: { phase: 'repositories' } });
      expect(refused.error).toMatch(/^Git refuses a repository: .*hasDotgit/s);
      expect((await world.admin.api.get('/projects/ODD')).status).toBe(404);
      // The log does not blame the service.
      const error = vi.spyOn(Logger.prototype, 'error');
      const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
      await world.service(ImportsService).resume(refused.id);
      await world.service(ImportWorkerService).whenIdle();
      expect(warn.mock.calls).toEqual([[`Import ${refused.id} has stopped: ${refused.error}`]]);
      expect(error).not.toHaveBeenCalled();
    },
    TIMEOUT_MS,
  );
});
