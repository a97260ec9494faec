import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { COMMAND_LINE } from '../../src/audit-log/actor';
import { type Environment, readEnvironment } from '../../src/config/environment';
import { type ImportOptions } from '../../src/imports/import-options';
import { ImportWorkerService } from '../../src/imports/import-worker.service';
import { ImportsService } from '../../src/imports/imports.service';
import { type ImportDto } from '../../src/imports/dto/import.dto';
import { entriesOf, recordsOf, withoutIds, writeArchiveOf } from '../support/archives';
import { createLastingTestDatabase, type LastingTestDatabase } from '../support/database';
import { FUZZ_ENVIRONMENT, populate } from '../support/fuzz/population';
import { TemporaryFolder } from '../support/sqlite';
import { applyTemplate } from '../support/template';
import { World } from '../support/world';

const TIMEOUT_MS = 240_000;
const DEFAULTS: ImportOptions = { projects: {}, users: {}, keepsAccounts: false };

describe('an import of an archive', () => {
  const folder = new TemporaryFolder();
  const databases: LastingTestDatabase[] = [];
  const worlds: World[] = [];
  let archive: string;

  interface Installation {
    settings: Record<string, string>;
    environment: Environment;
    world: World;
  }

  async function install(): Promise<Installation> {
    const database = await createLastingTestDatabase();
    databases.push(database);
    await applyTemplate(database.url);
    const name = randomBytes(6).toString('hex');
    const settings = {
      ...FUZZ_ENVIRONMENT,
      DATABASE_URL: database.url,
      STORAGE_URL: `file:${folder.file(name)}`,
      GIT_ROOT: folder.file(`${name}-git`),
      IMPORT_ROOT: folder.file(`${name}-imports`),
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    };
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
    await populate(targetOf(source), 0);
    const { world } = source;
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

  afterAll(async () => {
    for (const world of worlds) await world.stop();
    for (const { drop } of databases) await drop();
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

  it('is written with the bytes of the files', () => {
    expect(readFileSync(archive).length).toBeGreaterThan(0);
  });
});
