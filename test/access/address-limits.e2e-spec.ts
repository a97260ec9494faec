import { type Server } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { generateApiKey } from '../../src/users/api-key';
import { ApiKeysService } from '../../src/users/api-keys.service';
import { allStatementsOf } from '../support/records';
import { errorShape } from '../support/shapes';
import { Wire, type WireAnswer } from '../support/wire';
import { useWorld, type World } from '../support/world';

const MAX_CONNECTIONS = 4;
const MAX_FAILED_KEYS = 3;
const LIMITS = {
  MAX_UNAUTHENTICATED_CONNECTIONS: String(MAX_CONNECTIONS),
  MAX_FAILED_KEYS: String(MAX_FAILED_KEYS),
};
const MYSELF = '/api/v2/users/myself';
const LIVE = '/health/live';
/** Returns a key that looks like one chosen by an operator. */
const wrongKey = (): string => generateApiKey().slice(4);

/** Closes the connections that a test has opened. */
function useWires(world: () => World): { open(count?: number): Promise<Wire>; all: Wire[] } {
  const all: Wire[] = [];
  afterEach(() => {
    for (const wire of all.splice(0)) wire.close();
  });
  return {
    all,
    async open(count = 1) {
      for (let opened = 0; opened < count; opened++) all.push(await Wire.open(world().server.baseUrl));
      return all.at(-1) as Wire;
    },
  };
}

function expectTooMany(answer: WireAnswer | undefined, limit: number): void {
  expect(answer?.status).toBe(429);
  expect(JSON.parse(answer?.body ?? '')).toEqual(errorShape(13));
  expect(answer?.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'retry-after': expect.stringMatching(/^[1-9]\d*$/),
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': expect.stringMatching(/^\d{10}$/),
  });
}

describe('the limit of unauthenticated connections per address', () => {
  const tested = useWorld(LIMITS);
  const wires = useWires(() => tested.world);

  // The server closes the connections of the previous test a little later.
  beforeEach(() => untilOpen(0));

  const untilOpen = async (expected: number): Promise<void> => {
    const server = tested.world.server.app.getHttpServer() as Server;
    const count = promisify(server.getConnections.bind(server));
    while ((await count()) !== expected) await nextTurn();
  };

  it('answers 429 to a connection beyond the limit and closes it', async () => {
    await wires.open(MAX_CONNECTIONS);
    const refused = await wires.open();
    const answer = await refused.answer();
    expectTooMany(answer, MAX_CONNECTIONS);
    expect(answer?.headers.connection).toBe('close');
    await refused.closed();
  });

  it('serves public routes up to the limit', async () => {
    await wires.open(MAX_CONNECTIONS);
    for (const wire of wires.all) {
      wire.request('GET', LIVE);
      expect((await wire.answer())?.status).toBe(200);
    }
  });

  it('counts a connection until it closes', async () => {
    await wires.open(MAX_CONNECTIONS);
    wires.all[0]?.close();
    await untilOpen(MAX_CONNECTIONS - 1);
    const next = await wires.open();
    next.request('GET', LIVE);
    expect((await next.answer())?.status).toBe(200);
  });

  it('counts connections with a wrong key, but not those with a valid one', async () => {
    const { key } = await tested.world.addUser();
    for (const [sent, status] of [
      [key, 200],
      ['wrong', 401],
    ] as const) {
      for (let count = 0; count < MAX_CONNECTIONS - 1; count++) {
        const wire = await wires.open();
        wire.request('GET', MYSELF, { 'X-API-Key': sent });
        expect((await wire.answer())?.status).toBe(status);
      }
    }
    const last = await wires.open();
    last.request('GET', LIVE);
    expect((await last.answer())?.status).toBe(200);
    expectTooMany(await (await wires.open()).answer(), MAX_CONNECTIONS);
  });

  it('ignores the requests on a refused connection', async () => {
    const { world } = tested;
    const { key } = await world.addUser();
    await wires.open(MAX_CONNECTIONS);
    const authenticate = vi.spyOn(world.service(ApiKeysService), 'authenticate');
    const refused = await wires.open();
    refused.request('GET', MYSELF, { 'X-API-Key': key });
    expectTooMany(await refused.answer(), MAX_CONNECTIONS);
    await refused.closed();
    expect(await refused.answer()).toBeUndefined();
    expect(authenticate).not.toHaveBeenCalled();
    authenticate.mockRestore();
  });

  it('ignores X-Forwarded-For', async () => {
    await wires.open(MAX_CONNECTIONS);
    const refused = await wires.open();
    refused.request('GET', LIVE, { 'X-Forwarded-For': '192.0.2.1' });
    expectTooMany(await refused.answer(), MAX_CONNECTIONS);
  });
});

describe('the limit of wrong API keys per address', () => {
  const tested = useWorld({ MAX_FAILED_KEYS: String(MAX_FAILED_KEYS) });
  const MINUTE_MS = 60_000;
  let tests = 0;

  // Moves each test past the window of the previous one.
  beforeEach(() => {
    const now = Date.now();
    const later = ++tests * 3 * MINUTE_MS;
    vi.spyOn(Date, 'now').mockImplementation(() => now + later);
  });
  afterEach(() => vi.restoreAllMocks());

  const ask = (key: string | undefined, headers: Record<string, string> = {}) =>
    tested.world.anonymous.send('GET', '/users/myself', undefined, {
      ...(key !== undefined && { 'X-API-Key': key }),
      ...headers,
    });

  const reachLimit = async (): Promise<void> => {
    for (let count = 0; count < MAX_FAILED_KEYS; count++) expect((await ask(wrongKey())).status).toBe(401);
    expect((await ask(wrongKey())).status).toBe(429);
  };

  it('answers 429 beyond the limit, regardless of X-Forwarded-For', async () => {
    await reachLimit();
    for (const headers of [{}, { 'X-Forwarded-For': '192.0.2.1' }] as Record<string, string>[]) {
      const { status, body, headers: sent } = await ask(wrongKey(), headers);
      expect(status).toBe(429);
      expect(body).toEqual(errorShape(13));
      expect(sent.get('x-ratelimit-limit')).toBe(String(MAX_FAILED_KEYS));
      expect(Number(sent.get('retry-after'))).toBeGreaterThan(0);
    }
  });

  it('serves valid keys beyond the limit, whether used before or not', async () => {
    const { world } = tested;
    const known = await world.addUser();
    expect((await ask(known.key)).status).toBe(200);
    await reachLimit();
    const unknown = await world.addUser();
    for (const { key } of [known, unknown]) expect((await ask(key)).status).toBe(200);
  });

  it('excludes requests without a key, which receive 401 beyond the limit too', async () => {
    for (let count = 0; count <= MAX_FAILED_KEYS; count++) expect((await ask(undefined)).status).toBe(401);
    await reachLimit();
    expect((await ask(undefined)).status).toBe(401);
  });

  it('answers 401 again after a minute', async () => {
    await reachLimit();
    const now = Date.now();
    vi.spyOn(Date, 'now').mockImplementation(() => now + MINUTE_MS + 1);
    expect((await ask(wrongKey())).status).toBe(401);
  });

  it('executes no database statement for a mistyped key', async () => {
    await reachLimit();
    const { key } = await tested.world.addUser();
    const mistyped = `${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`;
    expect(await allStatementsOf(tested.world, () => ask(mistyped))).toEqual([]);
  });

  it('looks up two keys at a time beyond the limit without delaying known keys', async () => {
    const { world } = tested;
    const { key } = await world.addUser();
    expect((await ask(key)).status).toBe(200);
    await reachLimit();
    const service = world.service(ApiKeysService);
    const authenticate = service.authenticate.bind(service);
    const held: (() => void)[] = [];
    vi.spyOn(service, 'authenticate').mockImplementation(async (given) => {
      if (given !== key) await new Promise<void>((resolve) => held.push(resolve));
      return authenticate(given);
    });
    const refused = Promise.all([1, 2, 3].map(() => ask(wrongKey())));
    while (held.length < 2) await nextTurn();
    expect((await ask(key)).status).toBe(200);
    expect(held).toHaveLength(2);
    for (let released = 0; released < 3; released++) {
      while (held.length === released) await nextTurn();
      held[released]?.();
    }
    expect((await refused).map(({ status }) => status)).toEqual([429, 429, 429]);
  });
});

describe('limiting by address behind a trusted proxy', () => {
  const tested = useWorld({ ...LIMITS, TRUST_PROXY: '127.0.0.1' });
  const wires = useWires(() => tested.world);

  const ask = (address: string, key = wrongKey()) =>
    tested.world.anonymous.send('GET', '/users/myself', undefined, {
      'X-API-Key': key,
      'X-Forwarded-For': address,
    });

  it('counts wrong keys for the last forwarded address', async () => {
    for (let count = 0; count < MAX_FAILED_KEYS; count++) {
      expect((await ask(`203.0.113.${count}, 192.0.2.1`)).status).toBe(401);
    }
    expect((await ask('203.0.113.9, 192.0.2.1')).status).toBe(429);
    expect((await ask('192.0.2.1:4711')).status).toBe(429);
    expect((await ask('192.0.2.2')).status).toBe(401);
  });

  it('excludes the connections of the proxy', async () => {
    await wires.open(2 * MAX_CONNECTIONS);
    for (const wire of wires.all) {
      wire.request('GET', LIVE);
      expect((await wire.answer())?.status).toBe(200);
    }
  });

  it('counts running requests without a valid key for the forwarded address', async () => {
    const { world } = tested;
    const service = world.service(ApiKeysService);
    const authenticate = service.authenticate.bind(service);
    const held: (() => void)[] = [];
    const spy = vi.spyOn(service, 'authenticate').mockImplementation(async (given) => {
      await new Promise<void>((resolve) => held.push(resolve));
      return authenticate(given);
    });
    await wires.open(MAX_CONNECTIONS);
    for (const wire of wires.all) {
      wire.request('GET', MYSELF, { 'X-API-Key': wrongKey(), 'X-Forwarded-For': '2001:db8:1:2::1' });
    }
    while (held.length < MAX_CONNECTIONS) await nextTurn();
    const next = await wires.open();
    next.request('GET', LIVE, { 'X-Forwarded-For': '2001:db8:1:2:ffff::1' });
    expectTooMany(await next.answer(), MAX_CONNECTIONS);
    next.request('GET', LIVE, { 'X-Forwarded-For': '2001:db8:1:3::1' });
    expect((await next.answer())?.status).toBe(200);
    for (const resolve of held) resolve();
    const answers = await Promise.all(wires.all.slice(0, MAX_CONNECTIONS).map((wire) => wire.answer()));
    expect(answers.map((answer) => answer?.status).toSorted()).toEqual([401, 401, 401, 429]);
    spy.mockRestore();
    next.request('GET', LIVE, { 'X-Forwarded-For': '2001:db8:1:2:ffff::1' });
    expect((await next.answer())?.status).toBe(200);
  });
});

describe('limiting by address for clients other than the trusted proxy', () => {
  const tested = useWorld({ ...LIMITS, TRUST_PROXY: '192.0.2.0/24' });
  const wires = useWires(() => tested.world);

  it('ignores X-Forwarded-For', async () => {
    await wires.open(MAX_CONNECTIONS);
    const refused = await wires.open();
    refused.request('GET', LIVE, { 'X-Forwarded-For': '203.0.113.1' });
    expectTooMany(await refused.answer(), MAX_CONNECTIONS);
  });
});

describe('ALLOWED_ADDRESSES behind a trusted proxy', () => {
  const tested = useWorld({
    TRUST_PROXY: '127.0.0.1',
    ALLOWED_ADDRESSES: '192.0.2.0/24,2001:db8::/32,127.0.0.1',
  });

  const ask = (url: string, address?: string, key?: string) =>
    fetch(url, {
      headers: {
        ...(address !== undefined && { 'X-Forwarded-For': address }),
        ...(key !== undefined && { 'X-API-Key': key }),
      },
    });

  const api = (path: string): string => `${tested.world.server.baseUrl}${path}`;
  const outside = (path: string): string => `${new URL(tested.world.server.baseUrl).origin}${path}`;

  it.each([
    [undefined, 200],
    ['192.0.2.1', 200],
    ['192.0.2.1:4711', 200],
    ['::ffff:192.0.2.1', 200],
    ['2001:db8::1', 200],
    ['203.0.113.1, 192.0.2.1', 200],
    ['192.0.2.1, 203.0.113.1', 403],
    ['203.0.113.1', 403],
    ['2001:db9::1', 403],
    ['unknown', 403],
  ])('answers the forwarded address %j with %d', async (address, status) => {
    const answer = await ask(api('/users/myself'), address, tested.world.admin.key);
    expect(answer.status).toBe(status);
    if (status === 403) expect(await answer.json()).toEqual(errorShape(4));
  });

  it('refuses other addresses on every path before checking the API key', async () => {
    const { world } = tested;
    const authenticate = vi.spyOn(world.service(ApiKeysService), 'authenticate');
    const paths = [
      api('/users/myself'),
      api('/nothing'),
      outside('/api-docs'),
      outside('/api-docs-json'),
      outside('/'),
    ];
    for (const path of [
      ...paths,
      outside('/health/live/../../api-docs-json'),
      outside('/nothing?/health/live'),
    ]) {
      const answer = await ask(path, '203.0.113.1', world.admin.key);
      expect([path, answer.status]).toEqual([path, 403]);
    }
    expect(authenticate).not.toHaveBeenCalled();
    authenticate.mockRestore();
  });

  it('allows health checks from other addresses', async () => {
    for (const path of ['/health/live', '/health/ready']) {
      expect((await ask(outside(path), '203.0.113.1')).status).toBe(200);
    }
  });
});

describe('ALLOWED_ADDRESSES without a proxy', () => {
  const tested = useWorld({ ALLOWED_ADDRESSES: '192.0.2.0/24' });

  it('ignores X-Forwarded-For', async () => {
    const { api, key } = tested.world.admin;
    const headers = { 'X-API-Key': key, 'X-Forwarded-For': '192.0.2.1' };
    expect((await api.send('GET', '/users/myself', undefined, headers)).status).toBe(403);
  });
});
