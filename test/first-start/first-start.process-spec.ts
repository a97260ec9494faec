import { Logger } from '@nestjs/common';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { DataSource } from 'typeorm';
import { LocalFileStorage } from '../../src/attachments/local-file-storage';
import { type FirstStart, FirstStartService } from '../../src/first-start/first-start.service';
import { type UserDto } from '../../src/users/dto/user.dto';
import { useApplications } from '../support/applications';
import { createLastingTestDatabase } from '../support/database';
import { itOnServer } from '../support/engines';

const OWN_KEY = 'own-key-of-an-operator-0123456789';

describe('the first start', () => {
  const applications = useApplications();

  const firstStart = async (
    environment?: Record<string, string>,
  ): Promise<{ app: NestExpressApplication; made: FirstStart | undefined }> => {
    const app = await applications.create(environment);
    return { app, made: await app.get(FirstStartService).run() };
  };

  const count = async (app: NestExpressApplication, table: string): Promise<number> => {
    const [row] = await app
      .get(DataSource)
      .query<[{ rows: number | string }]>(`SELECT COUNT(*) AS \`rows\` FROM ${table}`);
    return Number(row.rows);
  };

  const ask = async (app: NestExpressApplication, key: string, path = '/users/myself'): Promise<Response> => {
    if (!app.getHttpServer().listening) await app.listen(0, '127.0.0.1');
    return fetch(`${await app.getUrl()}/api/v2${path}`, { headers: { 'X-API-Key': key } });
  };

  it('creates a space and an Administrator with a working API key', async () => {
    const { app, made } = await firstStart();
    expect(made).toEqual({
      adminKey: expect.stringMatching(/^pms_[0-9A-Za-z]{49}$/),
      passwordLink: expect.stringMatching(/^\/password\/[\w-]{43}$/),
      hasDemoData: false,
    });
    const answer = await ask(app, made!.adminKey);
    expect(answer.status).toBe(200);
    expect((await answer.json()) as UserDto).toMatchObject({ userId: 'admin', roleType: 1 });
    expect([await count(app, 'space'), await count(app, 'project')]).toEqual([1, 0]);
  });

  it('generates another key for another database', async () => {
    const first = await firstStart();
    const other = await createLastingTestDatabase();
    const second = await firstStart({ DATABASE_URL: other.url });
    expect(second.made?.adminKey).not.toBe(first.made?.adminKey);
    await applications.close();
    await other.drop();
  });

  it('creates nothing in a database that has a space', async () => {
    const first = await firstStart();
    await applications.close();
    const second = await firstStart({ ADMIN_API_KEY: OWN_KEY, DEMO_DATA: 'true' });
    expect(second.made).toBeUndefined();
    expect((await ask(second.app, first.made!.adminKey)).status).toBe(200);
    expect((await ask(second.app, OWN_KEY)).status).toBe(401);
    for (const [table, rows] of [
      ['space', 1],
      ['user', 1],
      ['api_key', 1],
      ['project', 0],
    ] as const) {
      expect([table, await count(second.app, table)]).toEqual([table, rows]);
    }
  });

  it('uses the API key in ADMIN_API_KEY', async () => {
    const { app, made } = await firstStart({ ADMIN_API_KEY: OWN_KEY });
    expect(made?.adminKey).toBe(OWN_KEY);
    expect((await ask(app, OWN_KEY)).status).toBe(200);
  });

  it('names the space by SPACE_KEY and SPACE_NAME once, and warns of later values', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const names = { SPACE_KEY: 'nautilus', SPACE_NAME: 'Nautilus & Söhne' };
    const first = await firstStart({ ...names, ADMIN_API_KEY: OWN_KEY });
    const shown = { spaceKey: names.SPACE_KEY, name: names.SPACE_NAME };
    expect(await (await ask(first.app, OWN_KEY, '/space')).json()).toMatchObject(shown);
    for (const [given, told] of [
      [names, []],
      [{}, []],
      [{ ...names, SPACE_NAME: 'Other' }, [/: SPACE_NAME had no effect$/]],
      [{ SPACE_KEY: 'other', SPACE_NAME: 'Other' }, [/: SPACE_KEY and SPACE_NAME had no effect$/]],
    ] as const) {
      await applications.close();
      warn.mockClear();
      const { app } = await firstStart(given);
      // Ignores the startup's warning about a missing git.
      const ofSpace = warn.mock.calls.filter(([details]) => typeof details === 'object');
      expect(ofSpace).toEqual(told.map((text) => [shown, expect.stringMatching(text)]));
      expect(await (await ask(app, OWN_KEY, '/space')).json()).toMatchObject(shown);
    }
    warn.mockRestore();
  });

  it('loads the demo project with DEMO_DATA=true', async () => {
    const { app, made } = await firstStart({ DEMO_DATA: 'true' });
    expect(made?.hasDemoData).toBe(true);
    const path = '/projects/DEMO/git/repositories/demo/pullRequests/1/comments';
    const answer = await ask(app, made!.adminKey, path);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toHaveLength(1);
  });

  it('loads demo objects of each kind and no deliveries', async () => {
    const { app } = await firstStart({ DEMO_DATA: 'true' });
    for (const [table, rows] of [
      ['category', 1],
      ['version', 1],
      ['issue_status', 5],
      ['star', 1],
      ['activity', 3],
      ['team', 1],
      ['team_member', 1],
      ['project_team', 1],
      ['attachment', 5],
      ['shared_file', 2],
      ['issue_shared_file', 1],
      ['wiki_shared_file', 1],
      ['document', 1],
      ['document_comment', 1],
      ['webhook', 1],
      ['webhook_delivery', 0],
    ] as const) {
      expect([table, await count(app, table)]).toEqual([table, rows]);
    }
  });

  it('returns the key even when the demo project cannot be completed', async () => {
    const write = vi.spyOn(LocalFileStorage.prototype, 'write').mockRejectedValueOnce(new Error('Full.'));
    const { app, made } = await firstStart({ DEMO_DATA: 'true' });
    write.mockRestore();
    expect(made?.hasDemoData).toBe(true);
    expect((await ask(app, made!.adminKey, '/projects/DEMO')).status).toBe(200);
  });

  it('loads the demo project by default only on the embedded database', async () => {
    const { made } = await firstStart({ DEMO_DATA: '' });
    expect(made?.hasDemoData).toBe(applications.database.url.startsWith('sqlite:'));
  });

  it('stores nothing after a failure and succeeds when repeated', async () => {
    const app = await applications.create({ DEMO_DATA: 'true' });
    const service = app.get(FirstStartService);
    // The demo project's key is taken, which only the last step detects.
    await app
      .get(DataSource)
      .query("INSERT INTO project (project_key, name, created) VALUES ('DEMO', 'x', 1)");
    await service.run().catch(() => undefined);
    expect([await count(app, 'space'), await count(app, 'user'), await count(app, 'api_key')]).toEqual([
      0, 0, 0,
    ]);
    await app.get(DataSource).query('DELETE FROM project');
    expect(await service.run()).toMatchObject({ hasDemoData: true });
  });

  itOnServer('creates one space with one key when two processes start at once', async () => {
    const [one, other] = await Promise.all([applications.create(), applications.create()]);
    const made = await Promise.all([one, other].map((app) => app.get(FirstStartService).run()));
    expect(made.filter((result) => result !== undefined)).toHaveLength(1);
    for (const table of ['space', 'user', 'api_key']) {
      expect([table, await count(one, table)]).toEqual([table, 1]);
    }
    const key = made.find((result) => result !== undefined)!.adminKey;
    expect((await ask(one, key)).status).toBe(200);
    expect((await ask(other, key)).status).toBe(200);
  });
});
