import fs from 'node:fs';
import { Logger } from '@nestjs/common';
import { writerUsage } from '../../src/database/sqlite/sqlite-connections';
import { describeOnEmbedded } from '../support/engines';
import { errorShape } from '../support/shapes';
import { createMigratedDatabase } from '../support/template';
import { type LastingTestDatabase } from '../support/database';
import { type Person, type ProjectFixture, World } from '../support/world';

type Done = (error: NodeJS.ErrnoException | null) => void;

describeOnEmbedded('the service on a failing disk', () => {
  let database: LastingTestDatabase;
  let world: World;
  let project: ProjectFixture;
  let member: Person;

  beforeEach(async () => {
    database = await createMigratedDatabase();
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    await world.stop();
    await database.drop();
  });

  async function start(timeout: string): Promise<void> {
    world = await World.start({ DATABASE_URL: database.url, DATABASE_STATEMENT_TIMEOUT: timeout });
  }

  async function startWithProject(timeout: string): Promise<void> {
    await start(timeout);
    project = await world.addProject();
    member = await world.addMember(project);
  }

  const comment = (content: string) => member.api.post(`/issues/${project.issueKey}/comments`, { content });
  const ready = async (): Promise<number> =>
    (await fetch(`${new URL(world.server.baseUrl).origin}/health/ready`)).status;

  const onSync = (sync: (done: Done) => void): void =>
    void vi.spyOn(fs, 'fdatasync').mockImplementation((_, done) => sync(done));

  it('answers every write with 503 after a failed sync, is not ready, and still serves reads', async () => {
    await startWithProject('1');
    const fatal = vi.spyOn(Logger.prototype, 'fatal').mockReturnValue();
    onSync((done) => setImmediate(done, new Error('EIO')));
    for (const content of ['During the failure', 'After it']) {
      const answer = await comment(content);
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(answer.body).toEqual(errorShape(1));
    }
    vi.mocked(fs.fdatasync).mockRestore();
    expect((await comment('After the disk has recovered')).status).toBe(503);
    expect(await ready()).toBe(503);
    expect((await member.api.get(`/issues/${project.issueKey}`)).status).toBe(200);
    expect(fatal).toHaveBeenCalledTimes(1);

    await world.stop();
    await start('1');
    expect(await ready()).toBe(200);
  });

  it('answers writes with 503 while a sync hangs, is not ready, and recovers', async () => {
    await startWithProject('1');
    const hanging: Done[] = [];
    onSync((done) => hanging.push(done));
    const answer = await comment('During the hang');
    expect(answer.status).toBe(503);
    const syncs = hanging.length;
    expect((await comment('Later')).status).toBe(503);
    // No second sync is sent to a disk that does not respond.
    expect(hanging).toHaveLength(syncs);
    await vi.waitFor(async () => expect(await ready()).toBe(503), { timeout: 20_000 });
    expect((await member.api.get(`/issues/${project.issueKey}`)).status).toBe(200);

    vi.mocked(fs.fdatasync).mockRestore();
    for (const done of hanging) done(null);
    await vi.waitFor(async () => expect(await ready()).toBe(200), { timeout: 20_000 });
    expect((await comment('After the hang')).status).toBe(201);
  });

  it('syncs once for several comments, and answers none before its sync has ended', async () => {
    // Longer than the comments take on a busy machine.
    await startWithProject('60');
    await world.whenIdle();
    const waiting: Done[] = [];
    onSync((done) => waiting.push(done));
    const sent: string[] = [];
    vi.spyOn(world.dataSource.logger, 'logQuery').mockImplementation((sql) => void sent.push(sql));
    let answered = 0;
    const answers = Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const { status } = await comment(`Comment ${index}`);
        answered++;
        return status;
      }),
    );
    await vi.waitFor(
      () => {
        expect(sent.filter((sql) => sql.startsWith('INSERT INTO "comment" ('))).toHaveLength(8);
        expect(writerUsage(world.dataSource)).toMatchObject({ inUse: 0, waiting: 0 });
      },
      { timeout: 20_000 },
    );
    expect(answered).toBe(0);
    expect(waiting).toHaveLength(1);
    const end = setInterval(() => waiting.shift()?.(null), 1);
    expect(await answers).toEqual(Array.from({ length: 8 }, () => 201));
    clearInterval(end);
    vi.mocked(fs.fdatasync).mockRestore();
    for (const done of waiting) done(null);
  });
});
