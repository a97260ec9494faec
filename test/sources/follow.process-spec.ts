import { once } from 'node:events';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { COMMAND_LINE } from '../../src/audit-log/actor';
import { type ImportDto } from '../../src/imports/dto/import.dto';
import { ImportWorkerService } from '../../src/imports/import-worker.service';
import { ImportsService } from '../../src/imports/imports.service';
import { ProjectRemovalService } from '../../src/projects/project-removal.service';
import { ApiClient } from '../support/api';
import { LastingInstallations } from '../support/lasting-installations';
import { FUZZ_ENVIRONMENT } from '../support/fuzz/population';
import { type CommandResult, Commands } from '../support/pms';
import { TemporaryFolder } from '../support/sqlite';
import { type Person, type ProjectFixture, World } from '../support/world';

const TIMEOUT_MS = 300_000;

describe('an import that follows its source', () => {
  const folder = new TemporaryFolder();
  const installations = new LastingInstallations(folder);
  const commands = new Commands();
  let world: World;
  let project: ProjectFixture;
  let writer: Person;
  let issueIds: number[];
  let target: Record<string, string>;
  let targetKey: string;
  /** Stands between the command and the source, and records what is asked. */
  let proxy: Server;
  let asked: string[] = [];
  let beforeAnswer: (path: string) => Promise<void> = () => Promise.resolve();
  let isBroken = false;

  beforeAll(async () => {
    world = await World.start(await newSettings('source'));
    await world.stopDeliveries();
    project = await world.addProject();
    writer = await world.addMember(project);
    const another = await world.addMember(project);
    await world.addTeam([writer], project);
    await world.addTeam([], project);
    issueIds = [];
    for (const summary of ['Quiet', 'Busy', 'Doomed']) {
      const { body } = await world.admin.api.post<{ id: number }>('/issues', {
        ...{ projectId: project.id, summary, issueTypeId: project.issueTypeId, priorityId: 3 },
      });
      issueIds.push(body.id);
      await comment(body.id, `About ${summary}`);
    }
    const second = { content: 'By the second account' };
    await another.api.post(`/issues/${issueIds[0]}/comments`, second);
    await world.whenIdle();
    const page = { projectId: project.id, name: 'Page', content: 'First' };
    expect((await world.admin.api.post('/wikis', page)).status).toBe(201);
    target = await newSettings('target');
    const first = await World.start(target);
    targetKey = first.admin.key;
    await first.stop();
    proxy = createServer((request, response) => {
      const path = request.url ?? '';
      asked.push(path);
      void (async () => {
        await beforeAnswer(path);
        if (isBroken) {
          response.end('<html>');
          return;
        }
        const answer = await fetch(`${world.server.baseUrl.replace(/\/api\/v2$/, '')}${path}`, {
          headers: { 'Backlog-API-Key': String(request.headers['backlog-api-key']) },
        });
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
        response.end(Buffer.from(await answer.arrayBuffer()));
      })();
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
  }, TIMEOUT_MS);

  afterAll(async () => {
    await commands.stop();
    proxy.closeAllConnections();
    proxy.close();
    await world.stop();
    await installations.drop();
    folder.remove();
  });

  const newSettings = (name: string): Promise<Record<string, string>> =>
    installations.add(name, FUZZ_ENVIRONMENT);

  async function comment(issueId: number, content: string): Promise<void> {
    expect((await writer.api.post(`/issues/${issueId}/comments`, { content })).status).toBe(201);
    await world.whenIdle();
  }

  function follow(...more: string[]): Promise<CommandResult> {
    asked = [];
    const address = `backlog+http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    return commands.run(['import', address, '--key', world.admin.key, '--follow', ...more], target);
  }

  const pms = (...words: string[]): Promise<CommandResult> => commands.run(words, target);

  const list = async (): Promise<ImportDto[]> =>
    JSON.parse((await pms('import', '--list', '--json')).stdout) as ImportDto[];

  /** Runs the space into which is imported. */
  async function inTarget<T>(work: (api: ApiClient, copy: World) => Promise<T>): Promise<T> {
    const copy = await World.start(target);
    try {
      return await work(new ApiClient(copy.server.baseUrl, targetKey), copy);
    } finally {
      await copy.stop();
    }
  }

  /** Lets the background work of a service end: the removal of projects, and then of the import that had added them. */
  async function removeReplaced(copy: World): Promise<void> {
    copy.service(ProjectRemovalService).start();
    await copy.whenIdle();
    copy.service(ImportWorkerService).start();
    await copy.service(ImportWorkerService).whenIdle();
  }

  /** Returns the summaries of the issues by their keys, each with its comments and their authors. */
  async function contentsOf(api: ApiClient): Promise<Record<string, unknown>> {
    const { body: issues } =
      await api.get<{ id: number; issueKey: string; summary: string }[]>('/issues?count=100');
    const contents: Record<string, unknown> = {};
    for (const { id, issueKey, summary } of issues) {
      const { body } = await api.get<{ content: string; createdUser: { userId: string } }[]>(
        `/issues/${id}/comments?order=asc`,
      );
      contents[issueKey] = [
        summary,
        ...body.map(({ content, createdUser }) => [createdUser.userId, content]),
      ];
    }
    const { body: wikis } = await api.get<{ id: number }[]>(`/wikis?projectIdOrKey=${project.key}`);
    contents.wikis = [];
    for (const { id } of wikis) {
      const { body } = await api.get<{ name: string; content: string }>(`/wikis/${id}`);
      (contents.wikis as unknown[]).push([body.name, body.content]);
    }
    return contents;
  }

  it(
    'reads the source again after the import, and finds the same',
    async () => {
      const result = await follow();
      expect([result.exitCode, result.stderr]).toEqual([
        0,
        expect.stringMatching(/The source was read again: \d+ records are the same/),
      ]);
      // Once for each reading, but what belongs to an unchanged issue only once.
      expect(asked.filter((path) => path.includes('/issues/count'))).toHaveLength(2);
      expect(asked.filter((path) => path.includes(`/issues/${issueIds[0]}/comments`))).toHaveLength(1);
      const expected = await contentsOf(world.admin.api);
      await inTarget(async (api) => {
        expect(await contentsOf(api)).toEqual(expected);
        const { body: teams } = await api.get<{ id: number }[]>('/teams');
        const other = {
          ...{ name: 'Other', key: 'OTHER', chartEnabled: false, subtaskingEnabled: false },
          textFormattingRule: 'markdown',
        };
        expect((await api.post('/projects', other)).status).toBe(201);
        expect((await api.post('/projects/OTHER/teams', { teamId: teams[0]!.id })).status).toBe(200);
      });
    },
    TIMEOUT_MS,
  );

  it(
    'replaces the project by what the source has now, and asks only for what has changed',
    async () => {
      await world.admin.api.send('DELETE', `/issues/${issueIds[2]}`);
      await comment(issueIds[1]!, 'Later');
      const { body: wikis } = await world.admin.api.get<{ id: number }[]>(
        `/wikis?projectIdOrKey=${project.key}`,
      );
      await world.admin.api.patch(`/wikis/${wikis[0]!.id}`, { content: 'Second' });
      const result = await follow();
      expect([result.exitCode, result.stderr]).toEqual([0, expect.stringContaining('records are the same')]);
      const commentsOf = (id?: number): string[] =>
        asked.filter((path) => path.includes(`/issues/${id}/comments`));
      expect([commentsOf(issueIds[0]), commentsOf(issueIds[1]).length]).toEqual([[], 1]);
      const expected = await contentsOf(world.admin.api);
      await inTarget(async (api, copy) => {
        expect(await contentsOf(api)).toEqual(expected);
        // One of the teams has got another project here.
        await removeReplaced(copy);
        expect((await api.get<unknown[]>('/teams')).body).toHaveLength(3);
      });
      const [latest, earlier] = (await list()) as [ImportDto, ImportDto];
      expect([latest.state, earlier.state]).toEqual(['done', 'cancelled']);
      expect(earlier.error).toBe(`Replaced by import ${latest.id}.`);
    },
    TIMEOUT_MS,
  );

  it(
    'keeps who was joined to whom',
    async () => {
      const placeholders = await inTarget(async (api) =>
        (await api.get<{ userId: string; mailAddress: string }[]>('/users')).body.filter(
          ({ mailAddress }) => mailAddress === '',
        ),
      );
      expect(placeholders).toHaveLength(2);
      await pms('user', 'add', 'real', '--mail', 'real@example.com');
      for (const { userId } of placeholders) {
        const merged = await pms('user', 'merge', userId, 'real');
        expect([merged.exitCode, merged.stderr]).toEqual([0, '']);
      }
      await comment(issueIds[1]!, 'By the same');
      expect((await follow()).exitCode).toBe(0);
      await inTarget(async (api) => {
        expect(JSON.stringify(await contentsOf(api))).toContain('["real","By the same"]');
        const { body: users } = await api.get<{ userId: string }[]>('/users');
        // Two people of an archive cannot be one user.
        const left = users.filter(({ userId }) => placeholders.some((one) => one.userId === userId));
        expect(left).toHaveLength(1);
      });
    },
    TIMEOUT_MS,
  );

  it(
    'ends with another exit code if the source has changed while it was imported',
    async () => {
      let spaces = 0;
      beforeAnswer = async (path) => {
        if (path.endsWith('/space') && ++spaces === 2) await comment(issueIds[0]!, 'In between');
      };
      const result = await follow();
      beforeAnswer = () => Promise.resolve();
      expect([result.exitCode, result.stderr]).toEqual([
        3,
        expect.stringMatching(
          /The import is complete, but the source has changed since it was read: .*comment \(\d+ instead of \d+\)/,
        ),
      ]);
      expect((await follow()).exitCode).toBe(0);
    },
    TIMEOUT_MS,
  );

  it(
    'ends with that exit code if the source cannot be read again',
    async () => {
      let projects = 0;
      beforeAnswer = (path) => {
        // What a source answers that is another program.
        isBroken = path.endsWith('/projects?all=true') && ++projects === 2;
        return Promise.resolve();
      };
      const result = await follow();
      beforeAnswer = () => Promise.resolve();
      isBroken = false;
      expect([result.exitCode, result.stderr]).toEqual([
        3,
        expect.stringContaining(
          'The import is complete, but the source could not be read again to compare it',
        ),
      ]);
    },
    TIMEOUT_MS,
  );

  it(
    'keeps what somebody has added since, and is refused',
    async () => {
      const issueKey = `${project.key}-1`;
      await inTarget(async (api) => {
        expect((await api.post(`/issues/${issueKey}/comments`, { content: 'Added here' })).status).toBe(201);
      });
      await comment(issueIds[1]!, 'Too late');
      const result = await follow();
      expect([result.exitCode, result.stderr]).toEqual([
        1,
        expect.stringContaining(`Somebody has changed ${project.key} since import`),
      ]);
      await inTarget(async (api) => {
        const { body } = await api.get<{ content: string }[]>(`/issues/${issueKey}/comments`);
        expect(body.map(({ content }) => content)).toContain('Added here');
      });
    },
    TIMEOUT_MS,
  );

  it(
    'does not replace a project that no import of its name has added',
    async () => {
      const result = await follow('--name', 'another');
      expect([result.exitCode, result.stderr]).toEqual([
        1,
        expect.stringContaining(`The project ${project.key} was not added by an import named "another"`),
      ]);
    },
    TIMEOUT_MS,
  );

  it(
    'goes on with an import that was killed, and is then compared',
    async () => {
      const second = await newSettings('second');
      const address = `backlog+http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
      const run = (...more: string[]): Promise<CommandResult> =>
        commands.run(['import', address, '--key', world.admin.key, ...more], second);
      const archive = folder.file('second.pms');
      expect((await run('--to', archive)).exitCode).toBe(0);
      /** Leaves what a command leaves that is killed at once. */
      const begin = async (path: string): Promise<number> => {
        const copy = await World.start(second);
        const options = { projects: {}, users: {}, keepsAccounts: false, follows: false };
        const added = await copy.service(ImportsService).add(COMMAND_LINE, path, options, { name: address });
        await copy.stop();
        return added;
      };
      const refused = async (id: number, ...more: string[]): Promise<void> => {
        const { exitCode, stderr } = await run(...more);
        expect([exitCode, stderr]).toEqual([
          1,
          expect.stringContaining(
            `Import ${id} of the same name has not ended, and has another archive or other options`,
          ),
        ]);
      };
      // As long as the archive, but not the same.
      writeFileSync(folder.file('other.pms'), Buffer.alloc(statSync(archive).size));
      const other = await begin(folder.file('other.pms'));
      await refused(other);
      expect((await commands.run(['import', '--cancel', String(other)], second)).exitCode).toBe(0);
      const id = await begin(archive);
      await refused(id, '--keep-accounts');
      const result = await run();
      expect([result.exitCode, result.stderr]).toEqual([
        0,
        expect.stringMatching(new RegExp(`Going on with import ${id}\\.[^]*records are the same`)),
      ]);
      expect(readdirSync(`${folder.file('second-imports')}/sources`)).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it('keeps its spool, whose last reading is not kept twice', () => {
    const spools = readdirSync(`${folder.file('target-imports')}/sources`);
    expect(spools).toHaveLength(1);
    const path = `${folder.file('target-imports')}/sources/${spools[0]}`;
    expect([existsSync(`${path}/current`), existsSync(`${path}/last`)]).toEqual([true, false]);
  });
});
