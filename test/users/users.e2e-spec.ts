import { RoleType } from '../../src/access/role-type';
import { UsageService } from '../../src/users/usage.service';
import { allStatementsOf } from '../support/records';
import { userShape } from '../support/shapes';
import { type Person, World } from '../support/world';

const MINUTE_MS = 60_000;

describe('the user behind a credential', () => {
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

  it('is shown with every field and no other', async () => {
    const { status, body } = await person.api.get('/users/myself');
    expect(status).toBe(200);
    expect(body).toEqual({ ...userShape(person), roleType: 5 });
  });

  it('has a vendor account of its own from the start', async () => {
    const other = await world.addUser();
    const [mine, theirs] = [await person.api.get('/users/myself'), await other.api.get('/users/myself')];
    expect(mine.body.vendorAccount.vendorId).not.toBe(theirs.body.vendorAccount.vendorId);
  });

  it('ignores parameters', async () => {
    const plain = await person.api.get('/users/myself');
    expect((await person.api.get('/users/myself?id=1')).body).toEqual(plain.body);
  });

  it('has last signed in when the account was made, until it is used', async () => {
    const [{ lastSeenAt, created }] = await world.dataSource.query<[{ lastSeenAt: number; created: number }]>(
      'SELECT last_login_time AS lastSeenAt, created FROM user WHERE id = ?',
      [person.id],
    );
    expect(lastSeenAt).toBe(created);
  });

  it('is seen when a minute has passed since the last time', async () => {
    const before = Date.now();
    await setLastSeen(before - MINUTE_MS);
    await person.api.get('/users/myself');
    expect(await lastSeen()).toBeGreaterThanOrEqual(before);
  });

  it('is not seen again within the minute, by this process or after another', async () => {
    const recently = Date.now() - MINUTE_MS / 2;
    await setLastSeen(recently);
    await person.api.get('/users/myself');
    expect(await lastSeen()).toBe(recently);
    await setLastSeen(0);
    await person.api.get('/users/myself');
    expect(await lastSeen()).toBe(0);
  });

  it('is not seen by a request with a wrong credential', async () => {
    await setLastSeen(0);
    await world.anonymous.send('GET', '/users/myself', undefined, { 'X-API-Key': `${person.key}x` });
    expect(await lastSeen()).toBe(0);
  });

  it('is seen once by uses that come at once', async () => {
    const [{ id: keyId }] = await world.dataSource.query<[{ id: number }]>(
      'SELECT id FROM api_key WHERE user_id = ?',
      [person.id],
    );
    const statements = await allStatementsOf(world, () =>
      Promise.all(Array.from({ length: 20 }, () => world.service(UsageService).note(keyId, person.id))),
    );
    expect(statements).toHaveLength(2);
  });
});
