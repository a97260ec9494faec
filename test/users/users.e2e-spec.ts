import { RoleType } from '../../src/access/role-type';
import { hashApiKey } from '../../src/users/api-key';
import { ApiKeyRepository } from '../../src/users/data/api-key.repository';
import { UsageService } from '../../src/users/usage.service';
import { allStatementsOf } from '../support/records';
import { userShape } from '../support/shapes';
import { type Person, World } from '../support/world';

const MINUTE_MS = 60_000;

describe('the user of an API key', () => {
  let world: World;
  let person: Person;

  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());
  beforeEach(async () => {
    person = await world.addUser(RoleType.GuestReporter);
  });

  const lastSeen = async (): Promise<number> => {
    const [row] = await world.dataSource.query<[{ time: number }]>(
      'SELECT last_login_time AS time FROM user WHERE id = ?',
      [person.id],
    );
    return row.time;
  };

  const setLastSeen = (time: number): Promise<unknown> =>
    world.dataSource.query('UPDATE user SET last_login_time = ? WHERE id = ?', [time, person.id]);

  it('has exactly the documented fields', async () => {
    const { status, body } = await person.api.get('/users/myself');
    expect(status).toBe(200);
    expect(body).toEqual({ ...userShape(person), roleType: 5 });
  });

  it('has a vendor account of its own', async () => {
    const other = await world.addUser();
    const [mine, theirs] = [await person.api.get('/users/myself'), await other.api.get('/users/myself')];
    expect(mine.body.vendorAccount.vendorId).not.toBe(theirs.body.vendorAccount.vendorId);
  });

  it('appears the same with query parameters', async () => {
    const plain = await person.api.get('/users/myself');
    expect((await person.api.get('/users/myself?id=1')).body).toEqual(plain.body);
  });

  it('has the creation time as last login before the first use', async () => {
    const [{ lastSeenAt, created }] = await world.dataSource.query<[{ lastSeenAt: number; created: number }]>(
      'SELECT last_login_time AS lastSeenAt, created FROM user WHERE id = ?',
      [person.id],
    );
    expect(lastSeenAt).toBe(created);
  });

  it('updates the last login when a minute has passed', async () => {
    const before = Date.now();
    await setLastSeen(before - MINUTE_MS);
    await person.api.get('/users/myself');
    expect(await lastSeen()).toBeGreaterThanOrEqual(before);
  });

  it('keeps the last login within a minute, set by this process or another', async () => {
    const recently = Date.now() - MINUTE_MS / 2;
    await setLastSeen(recently);
    await person.api.get('/users/myself');
    expect(await lastSeen()).toBe(recently);
    await setLastSeen(0);
    await person.api.get('/users/myself');
    expect(await lastSeen()).toBe(0);
  });

  it('keeps the last login at a request with a wrong API key', async () => {
    await setLastSeen(0);
    await world.anonymous.send('GET', '/users/myself', undefined, { 'X-API-Key': `${person.key}x` });
    expect(await lastSeen()).toBe(0);
  });

  it('updates the last login once for simultaneous uses', async () => {
    const [{ id: keyId }] = await world.dataSource.query<[{ id: number }]>(
      'SELECT id FROM api_key WHERE user_id = ?',
      [person.id],
    );
    const usage = world.service(UsageService);
    const keys = world.service(ApiKeyRepository);
    const touch = (now: number, before: number): Promise<void> => keys.touch(keyId, now, before);
    const statements = await allStatementsOf(world, () =>
      Promise.all(
        Array.from({ length: 20 }, async () => {
          await usage.note(hashApiKey(person.key), person.id, touch);
        }),
      ),
    );
    expect(statements).toHaveLength(2);
  });
});
