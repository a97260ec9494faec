import { setImmediate as nextTurn } from 'node:timers/promises';
import { type MockInstance } from 'vitest';
import { Turns } from '../../src/limits/turns';
import { UserRequestsService } from '../../src/limits/user-requests.service';
import { KnownCallersService } from '../../src/users/known-callers.service';
import { PasswordHasherService } from '../../src/users/passwords/password-hasher.service';
import { RoleType } from '../../src/access/role-type';
import { UsersService } from '../../src/users/users.service';
import { everythingStored } from '../support/records';
import { errorShape } from '../support/shapes';
import { eventually } from '../support/webhooks';
import { Wire } from '../support/wire';
import { type Person, useWorld } from '../support/world';

const MAX_REQUESTS = 3;
/** Maximum number of waiting requests of one user; further ones are refused immediately. */
const MAX_WAITING = 100;
const MYSELF = '/users/myself';

describe('the limit of simultaneous requests per user', () => {
  const tested = useWorld({ MAX_USER_REQUESTS: String(MAX_REQUESTS) });
  const held: (() => void)[] = [];
  let person: Person;

  beforeEach(async () => {
    person = await tested.world.addUser();
    const users = tested.world.service(UsersService);
    const get = users.get.bind(users);
    vi.spyOn(users, 'get').mockImplementation(async (id, runner) => {
      if (id === person.id) await new Promise<void>((resolve) => held.push(resolve));
      return get(id, runner);
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
    releaseAll();
  });

  const releaseAll = (): void => {
    for (const release of held.splice(0)) release();
  };

  const untilHeld = async (count: number): Promise<void> => {
    while (held.length < count) await nextTurn();
  };

  /** Releases held requests until the work is done. */
  const releasingAll = async <T>(work: Promise<T>): Promise<T> => {
    const pending = new Set([work]);
    const done = work.finally(() => pending.clear());
    while (pending.size > 0) {
      releaseAll();
      await nextTurn();
    }
    return done;
  };

  const fill = async (): Promise<Promise<{ status: number }>[]> => {
    const requests = Array.from({ length: MAX_REQUESTS }, () => person.api.get(MYSELF));
    await untilHeld(MAX_REQUESTS);
    return requests;
  };

  const wire = async (count: number): Promise<Wire> => {
    const opened = await Wire.open(tested.world.server.baseUrl);
    for (let sent = 0; sent < count; sent++) {
      opened.request('GET', `/api/v2${MYSELF}`, { 'X-API-Key': person.key });
    }
    return opened;
  };

  it('makes further requests wait without delaying other users', async () => {
    const requests = await fill();
    const waiting = person.api.get(MYSELF);
    expect((await tested.world.admin.api.get(MYSELF)).status).toBe(200);
    expect(held).toHaveLength(MAX_REQUESTS);
    held.shift()?.();
    await untilHeld(MAX_REQUESTS);
    const answers = await releasingAll(Promise.all([...requests, waiting]));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('answers 429 immediately when too many requests wait', async () => {
    const requests = await fill();
    const waiting = Array.from({ length: MAX_WAITING + 1 }, () => person.api.get(MYSELF));
    const refused = await Promise.race(waiting);
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual(errorShape(13));
    expect(refused.headers.get('x-ratelimit-limit')).toBe(String(MAX_REQUESTS));
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const answers = await releasingAll(Promise.all([...requests, ...waiting]));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(MAX_REQUESTS + MAX_WAITING);
  });

  it('stops counting running and waiting requests of disconnected clients', async () => {
    const wires = [await wire(1), await wire(1), await wire(1)];
    await untilHeld(MAX_REQUESTS);
    wires.push(await wire(1));
    for (const opened of wires) opened.close();
    await untilHeld(MAX_REQUESTS);
    const requests = await fillAgain();
    expect(requests.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('stops counting pipelined requests of a closed connection', async () => {
    const opened = await wire(MAX_REQUESTS + 2);
    await untilHeld(MAX_REQUESTS);
    opened.close();
    const requests = await fillAgain();
    expect(requests.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  /** Needs all slots, without releasing the held requests first. */
  const fillAgain = async (): Promise<{ status: number }[]> => {
    const before = held.length;
    const requests = Array.from({ length: MAX_REQUESTS }, () => person.api.get(MYSELF));
    await untilHeld(before + MAX_REQUESTS);
    return releasingAll(Promise.all(requests));
  };

  it('authenticates a waiting request again when its turn comes', async () => {
    const { world } = tested;
    const requests = await fill();
    const enter = vi.spyOn(world.service(UserRequestsService), 'enter');
    const waiting = person.api.get(MYSELF);
    while (enter.mock.calls.length === 0) await nextTurn();
    await world.dataSource.query('DELETE FROM api_key WHERE user_id = ?', [person.id]);
    world.service(KnownCallersService).forget(person.id);
    const [answer] = await releasingAll(Promise.all([waiting, ...requests]));
    expect(answer.status).toBe(401);
  });
});

describe('setting a password', () => {
  const MAX_CHANGES = 2;
  const PASSWORD = 'correct horse battery staple';
  const tested = useWorld({ MAX_PASSWORD_CHANGES: String(MAX_CHANGES) });
  let hash: MockInstance<(password: string) => Promise<string>>;

  beforeEach(() => {
    const hasher = tested.world.service(PasswordHasherService);
    hash = vi.spyOn(hasher as unknown as { hashNow(password: string): Promise<string> }, 'hashNow');
  });
  afterEach(() => hash.mockRestore());

  const change = (by: Person, whom: { id: number } = by) =>
    by.api.patch(`/users/${whom.id}`, { password: PASSWORD });

  const add = () =>
    tested.world.admin.api.post('/users', {
      userId: tested.world.uniqueName('robin').replace(' ', '-'),
      password: PASSWORD,
      name: 'Robin',
      mailAddress: 'robin@example.com',
      roleType: RoleType.Viewer,
    });

  /** Holds each hash until it is released. */
  const hold = (): (() => void)[] => {
    const held: (() => void)[] = [];
    hash.mockImplementation(async () => {
      await new Promise<void>((resolve) => held.push(resolve));
      return 'hash';
    });
    return held;
  };

  it('answers 429 beyond MAX_PASSWORD_CHANGES per caller, without hashing or storing anything', async () => {
    const { world } = tested;
    const person = await world.addUser(RoleType.GuestViewer);
    for (let count = 0; count < MAX_CHANGES; count++) expect((await change(person)).status).toBe(200);
    const before = await everythingStored(world);
    hash.mockClear();
    const refused = await change(person);
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual(errorShape(13));
    expect(refused.headers.get('x-ratelimit-limit')).toBe(String(MAX_CHANGES));
    expect(hash).not.toHaveBeenCalled();
    expect(await everythingStored(world)).toEqual(before);
    // The limit applies per caller, and only to passwords.
    expect((await change(world.admin, person)).status).toBe(200);
    expect((await person.api.patch(`/users/${person.id}`, { name: 'Robin' })).status).toBe(200);
  });

  it('excludes the passwords of new users from the limit', async () => {
    for (let count = 0; count <= MAX_CHANGES; count++) expect((await add()).status).toBe(201);
  });

  it('hashes at most two passwords at a time', async () => {
    const { world } = tested;
    const people = [await world.addUser(), await world.addUser(), await world.addUser()];
    const held = hold();
    const answers = Promise.all([add(), ...people.map((person) => change(person))]);
    for (let released = 0; released < 4; released++) {
      while (held.length === released) await nextTurn();
      expect(held.length - released).toBeLessThanOrEqual(2);
      held[released]?.();
    }
    expect((await answers).map(({ status }) => status)).toEqual([201, 200, 200, 200]);
  });

  it('skips the password of a client that has disconnected', async () => {
    const { world } = tested;
    const [one, other] = [await world.addUser(), await world.addUser()];
    const held = hold();
    hash.mockClear();
    const answers = Promise.all([change(one), change(other)]);
    while (held.length < 2) await nextTurn();
    const run = vi.spyOn(Turns.prototype, 'run');
    const body = JSON.stringify({ password: PASSWORD });
    const leaving = await Wire.open(world.server.baseUrl);
    const third = await world.addUser();
    leaving.request('PATCH', `/api/v2/users/${third.id}`, {
      'X-API-Key': third.key,
      'Content-Type': 'application/json',
      'Content-Length': String(body.length),
    });
    leaving.send(body);
    while (run.mock.calls.length === 0) await nextTurn();
    leaving.close();
    await expect(run.mock.results[0]?.value).rejects.toThrow();
    run.mockRestore();
    for (const release of held) release();
    expect((await answers).map(({ status }) => status)).toEqual([200, 200]);
    expect(hash).toHaveBeenCalledTimes(2);
  });

  it('answers 403 when the caller loses the right during hashing', async () => {
    const { world } = tested;
    const former = await world.addUser(RoleType.Administrator);
    const victim = await world.addUser();
    const held = hold();
    const answer = change(former, victim);
    while (held.length === 0) await nextTurn();
    await world.admin.api.patch(`/users/${former.id}`, { roleType: RoleType.Viewer });
    const before = await everythingStored(world);
    held[0]?.();
    expect((await answer).status).toBe(403);
    expect(await everythingStored(world)).toEqual(before);
  });
});

describe('the limit of connections per user', () => {
  const tested = useWorld({ MAX_USER_CONNECTIONS: '2' });
  const opened: Wire[] = [];

  afterEach(() => {
    for (const wire of opened.splice(0)) wire.close();
  });

  const open = async (): Promise<Wire> => {
    const wire = await Wire.open(tested.world.server.baseUrl);
    opened.push(wire);
    return wire;
  };

  const call = async (wire: Wire, { key }: Person, path = MYSELF): Promise<unknown[]> => {
    wire.request('GET', `/api/v2${path}`, { 'X-API-Key': key });
    const answer = await wire.answer();
    return [answer?.status, answer?.headers.connection];
  };

  it('keeps connections open up to the limit and closes further ones after their response', async () => {
    const [person, another] = [await tested.world.addUser(), await tested.world.addUser()];
    const [first, second, third, fourth] = [await open(), await open(), await open(), await open()];
    expect(await call(first, person)).toEqual([200, 'keep-alive']);
    expect(await call(second, person)).toEqual([200, 'keep-alive']);
    expect(await call(third, person)).toEqual([200, 'close']);
    await third.closed();
    expect(await call(fourth, person, '/issues/NONE-1')).toEqual([404, 'close']);
    await fourth.closed();
    // Open connections stay open, and other users have their own limit.
    expect(await call(first, person)).toEqual([200, 'keep-alive']);
    expect(await call(second, person)).toEqual([200, 'keep-alive']);
    expect(await call(await open(), another)).toEqual([200, 'keep-alive']);

    second.close();
    await eventually(
      async () => call(await open(), person),
      ([, connection]) => connection === 'keep-alive',
    );
  });
});

describe('the limit of connections per user, behind a trusted proxy', () => {
  const tested = useWorld({ MAX_USER_CONNECTIONS: '1', TRUST_PROXY: '1' });

  it('keeps all connections of the proxy open', async () => {
    const { admin, server } = tested.world;
    const wires = [await Wire.open(server.baseUrl), await Wire.open(server.baseUrl)];
    for (const wire of wires) {
      wire.request('GET', `/api/v2${MYSELF}`, { 'X-API-Key': admin.key });
      expect((await wire.answer())?.headers.connection).toBe('keep-alive');
    }
    for (const wire of wires) wire.close();
  });
});
