import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { FirstStartService } from '../../src/first-start/first-start.service';
import { ApiKeysService } from '../../src/users/api-keys.service';
import { type ApiKeyDto, type NewApiKeyDto } from '../../src/users/dto/api-key.dto';
import { RoleType } from '../../src/access/role-type';
import { ApiClient } from '../support/api';
import { useApplications } from '../support/applications';
import { itOnServer } from '../support/engines';
import { everythingStored } from '../support/records';
import { expectRefused } from '../support/refusals';
import { anId, aTimestamp, errorShape } from '../support/shapes';
import { type Person, useWorld } from '../support/world';

const MINUTE_MS = 60_000;
const UNLIMITED = { scopes: null, projectIds: null, agent: null, expires: null };
const aKey = expect.stringMatching(/^pms_[0-9A-Za-z]{49}$/) as unknown;

describe('API key management', () => {
  const tested = useWorld();
  let person: Person;
  let path: string;

  beforeEach(async () => {
    person = await tested.world.addUser(RoleType.GuestViewer);
    path = `/users/${person.id}/apiKeys`;
  });

  const add = async (name = 'Script'): Promise<NewApiKeyDto & { api: ApiClient }> => {
    const { body } = await person.api.post<NewApiKeyDto>(path, { name });
    return { ...body, api: new ApiClient(tested.world.server.baseUrl, body.key) };
  };

  const list = async (): Promise<ApiKeyDto[]> => (await person.api.get<ApiKeyDto[]>(path)).body;

  it('returns a key only when it is created', async () => {
    const { status, body } = await person.api.post<NewApiKeyDto>(path, { name: '  Script ' });
    expect(status).toBe(201);
    expect(body).toEqual({
      ...UNLIMITED,
      id: anId,
      name: 'Script',
      created: aTimestamp,
      lastUsed: null,
      key: aKey,
    });
    const { text } = await person.api.get(path);
    const { key, ...shown } = body;
    expect(JSON.parse(text)).toContainEqual(shown);
    expect(text).not.toContain(key);
    expect(JSON.stringify(await everythingStored(tested.world))).not.toContain(key);
  });

  it('authenticates a new key with the role of its user', async () => {
    const { api } = await add();
    expect((await api.get('/users/myself')).body.id).toBe(person.id);
    expect((await api.get('/users')).status).toBe(403);
  });

  it('lists the keys of a user ordered by id', async () => {
    const names = ['One', 'Two', 'Three'];
    for (const name of names) await add(name);
    const keys = await list();
    expect(keys.map(({ name }) => name)).toEqual(['test', ...names]);
    expect(keys[0]).toEqual({
      ...UNLIMITED,
      id: anId,
      name: 'test',
      created: aTimestamp,
      lastUsed: aTimestamp,
    });
  });

  it.each([[{}], [{ name: ' ' }], [{ name: 'x'.repeat(256) }], [{ name: 7 }]])(
    'refuses the fields %j with 400',
    async (body) => {
      await expectRefused(tested.world, () => person.api.post(path, body), ['name']);
    },
  );

  it('allows only Administrators to manage the keys of other users', async () => {
    const { world } = tested;
    const { id, key: _key, api: _api, ...fields } = await add();
    expect((await world.admin.api.get(path)).body).toContainEqual({ id, ...fields });
    const other = await world.addUser();
    for (const answer of [
      await other.api.get(path),
      await other.api.post(path, { name: 'Mine' }),
      await other.api.delete(`${path}/${id}`),
    ]) {
      expect(answer.status).toBe(403);
      expect(answer.body).toEqual(errorShape(5));
    }
    const made = await world.admin.api.post<NewApiKeyDto>(path, { name: 'For you' });
    const api = new ApiClient(world.server.baseUrl, made.body.key);
    expect((await api.get('/users/myself')).body.id).toBe(person.id);
  });

  it('answers 404 at /users/myself/apiKeys', async () => {
    expect((await person.api.get('/users/myself/apiKeys')).status).toBe(404);
  });

  it('refuses a revoked key immediately and keeps the others valid', async () => {
    const [one, other] = [await add('One'), await add('Other')];
    const { lastUsed: _, ...known } = (await list()).find(({ id }) => id === one.id) as ApiKeyDto;
    expect((await one.api.get('/users/myself')).status).toBe(200);
    const { status, body } = await other.api.delete(`${path}/${one.id}`);
    expect(status).toBe(200);
    expect(body).toEqual({ ...known, lastUsed: aTimestamp });
    expect((await one.api.get('/users/myself')).status).toBe(401);
    expect((await other.api.get('/users/myself')).status).toBe(200);
    expect((await other.api.delete(`${path}/${one.id}`)).status).toBe(404);
    expect((await list()).map(({ id }) => id)).not.toContain(one.id);
  });

  it('allows a key to revoke itself', async () => {
    const { id, api } = await add();
    expect((await api.delete(`${path}/${id}`)).status).toBe(200);
    expect((await api.get('/users/myself')).status).toBe(401);
  });

  it('refuses a key that was revoked during its lookup', async () => {
    const { world } = tested;
    const { id, key, api } = await add();
    const service = world.service(ApiKeysService);
    // The other key is cached already, so the first query is that for this key.
    await person.api.get(path);
    const read = world.dataSource.query.bind(world.dataSource);
    const spy = vi.spyOn(world.dataSource, 'query').mockImplementationOnce(async (...given) => {
      const rows: unknown = await read(...given);
      await person.api.delete(`${path}/${id}`);
      return rows;
    });
    await service.authenticate(key);
    spy.mockRestore();
    expect((await api.get('/users/myself')).status).toBe(401);
  });

  it('revokes a key once when three requests delete it simultaneously', async () => {
    const { id } = await add();
    const answers = await Promise.all([1, 2, 3].map(() => person.api.delete(`${path}/${id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
  });

  it('limits a user to 100 keys, even when the last are created simultaneously', async () => {
    const { world } = tested;
    const service = world.service(ApiKeysService);
    await world.write(async (manager) => {
      for (let number = 2; number <= 98; number++) {
        await service.add(manager, person.id, randomBytes(32).toString('hex'), { name: `Key ${number}` });
      }
    });
    const answers = await Promise.all(
      [99, 100, 101, 102].map((number) => person.api.post(path, { name: `Key ${number}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual(errorShape(9));
    const keys = await list();
    expect(keys).toHaveLength(100);
    await person.api.delete(`${path}/${keys[50]?.id}`);
    expect((await person.api.post(path, { name: 'Again' })).status).toBe(201);
  });

  describe('with the time of last use', () => {
    const lastUsed = async (id: number): Promise<number | null> => {
      const [row] = await tested.world.dataSource.query<[{ time: number | null }]>(
        'SELECT last_used AS time FROM api_key WHERE id = ?',
        [id],
      );
      return row.time;
    };
    const setLastUsed = (id: number, time: number): Promise<unknown> =>
      tested.world.dataSource.query('UPDATE api_key SET last_used = ? WHERE id = ?', [time, id]);

    it('sets the time at the first use', async () => {
      const { id, api } = await add();
      const before = Date.now();
      await api.get('/users/myself');
      expect(await lastUsed(id)).toBeGreaterThanOrEqual(before);
    });

    it('sets no time for another key of the user', async () => {
      const [one, other] = [await add('One'), await add('Other')];
      await one.api.get('/users/myself');
      expect(await lastUsed(other.id)).toBeNull();
    });

    it('updates the time when it is a minute old', async () => {
      const { id, api } = await add();
      const before = Date.now();
      await setLastUsed(id, before - MINUTE_MS);
      await api.get('/users/myself');
      expect(await lastUsed(id)).toBeGreaterThanOrEqual(before);
    });

    it('updates the time at most once a minute, also after another process', async () => {
      const { id, api } = await add();
      const recently = Date.now() - MINUTE_MS / 2;
      await setLastUsed(id, recently);
      await api.get('/users/myself');
      expect(await lastUsed(id)).toBe(recently);
      await setLastUsed(id, 0);
      await api.get('/users/myself');
      expect(await lastUsed(id)).toBe(0);
    });
  });
});

describe('API key revocation in several processes', () => {
  const KEY = 'key-of-the-administrator-0123456789';
  const CACHE_MS = 3000;
  afterEach(() => vi.restoreAllMocks());
  const applications = useApplications();

  const start = async (): Promise<NestExpressApplication> => {
    const app = await applications.create({ ADMIN_API_KEY: KEY });
    await app.get(FirstStartService).run();
    return app;
  };

  const clientOf = async (app: NestExpressApplication): Promise<ApiClient> => {
    await app.listen(0, '127.0.0.1');
    return new ApiClient(`${await app.getUrl()}/api/v2`, KEY);
  };

  itOnServer('takes effect in other processes when their cache expires', async () => {
    const [here, there] = [await start(), await start()];
    const admin = await clientOf(here);
    const { body: me } = await admin.get<{ id: number }>('/users/myself');
    const keys = `/users/${me.id}/apiKeys`;
    const { body } = await admin.post<NewApiKeyDto>(keys, { name: 'Second' });
    const known = there.get(ApiKeysService);
    expect(await known.authenticate(body.key)).toEqual({ id: me.id, roleType: RoleType.Administrator });
    expect((await admin.delete(`${keys}/${body.id}`)).status).toBe(200);
    expect(await here.get(ApiKeysService).authenticate(body.key)).toBeUndefined();
    expect(await known.authenticate(body.key)).toBeDefined();
    const now = performance.now();
    vi.spyOn(performance, 'now').mockReturnValue(now + CACHE_MS + 1);
    // The cache reads the clock only once per millisecond.
    while (await known.authenticate(body.key)) await nextTurn();
    expect((await admin.get(keys)).body).toHaveLength(1);
  });
});
