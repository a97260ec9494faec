import { Logger } from '@nestjs/common';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { type AddressInfo } from 'node:net';
import { readEnvironment } from '../../src/config/environment';
import { FirstStartService } from '../../src/first-start/first-start.service';
import { RedisRates } from '../../src/limits/redis-rates';
import { generateApiKey } from '../../src/users/api-key';
import { ApiClient, type ApiResponse } from '../support/api';
import { useApplications } from '../support/applications';
import { describeOnServer } from '../support/engines';
import { allStatementsOf } from '../support/records';
import { describeWithRedis, REDIS_URL, useRedisLine } from '../support/redis';
import { errorShape } from '../support/shapes';
import { eventually } from '../support/webhooks';
import { type Person, useWorld } from '../support/world';

const LIMITS = { read: 4, update: 3, search: 2, icon: 1 };
const ENVIRONMENT = {
  RATE_LIMIT: 'on',
  RATE_LIMIT_READ: String(LIMITS.read),
  RATE_LIMIT_UPDATE: String(LIMITS.update),
  RATE_LIMIT_SEARCH: String(LIMITS.search),
  RATE_LIMIT_ICON: String(LIMITS.icon),
};
const MINUTE_MS = 60_000;
const MYSELF = '/users/myself';

interface Allowance {
  limit: number;
  remaining: number;
  reset: number;
}

/** Returns the allowance in the headers of a response. */
const allowanceIn = ({ headers }: ApiResponse): Allowance => {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    Number(headers.get(`x-ratelimit-${name}`) ?? NaN),
  ) as [number, number, number];
  return { limit, remaining, reset };
};

const secondsFromNow = (reset: number): number => reset - Date.now() / 1000;

async function classesLeft(person: Person): Promise<Record<keyof typeof LIMITS, number>> {
  const { status, body } = await person.api.get<{ rateLimit: Record<string, Allowance> }>('/rateLimit');
  expect(status).toBe(200);
  return Object.fromEntries(
    Object.entries(body.rateLimit).map(([name, { remaining }]) => [name, remaining]),
  ) as Record<keyof typeof LIMITS, number>;
}

describe('the rate limit of a user', () => {
  const tested = useWorld(ENVIRONMENT);
  let person: Person;

  beforeEach(async () => {
    person = await tested.world.addUser();
  });
  afterEach(() => vi.restoreAllMocks());

  it('counts from the first request and reports limit, remaining and reset in headers', async () => {
    const first = allowanceIn(await person.api.get(MYSELF));
    expect(first).toMatchObject({ limit: LIMITS.read, remaining: LIMITS.read - 1 });
    expect(secondsFromNow(first.reset)).toBeGreaterThan(55);
    expect(secondsFromNow(first.reset)).toBeLessThanOrEqual(61);
    const second = allowanceIn(await person.api.get(MYSELF));
    expect(second.remaining).toBe(LIMITS.read - 2);
    expect(Math.abs(second.reset - first.reset)).toBeLessThanOrEqual(1);
  });

  it('answers 429 beyond the limit without further database statements', async () => {
    for (let count = 1; count <= LIMITS.read; count++)
      expect((await person.api.get(MYSELF)).status).toBe(200);
    let refused: ApiResponse | undefined;
    const statements = await allStatementsOf(tested.world, async () => {
      refused = await person.api.get(MYSELF);
    });
    // The key is looked up again once its cache entry has expired.
    expect(statements.filter((sql) => !sql.includes('FROM api_key'))).toEqual([]);
    expect(refused?.status).toBe(429);
    expect(refused?.body).toEqual(errorShape(13));
    const { limit, remaining, reset } = allowanceIn(refused as ApiResponse);
    expect([limit, remaining]).toEqual([LIMITS.read, 0]);
    const retryAfter = Number(refused?.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(50);
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect(Math.abs(secondsFromNow(reset) - retryAfter)).toBeLessThan(3);
  });

  it('resets after a minute', async () => {
    for (let count = 0; count <= LIMITS.read; count++) await person.api.get(MYSELF);
    expect((await person.api.get(MYSELF)).status).toBe(429);
    const now = Date.now();
    vi.spyOn(Date, 'now').mockImplementation(() => now + MINUTE_MS + 1000);
    expect(allowanceIn(await person.api.get(MYSELF)).remaining).toBe(LIMITS.read - 1);
  });

  it('limits the wait to a minute when the clock is set back', async () => {
    for (let count = 0; count <= LIMITS.read; count++) await person.api.get(MYSELF);
    const now = Date.now();
    vi.spyOn(Date, 'now').mockImplementation(() => now - 60 * MINUTE_MS);
    const refused = await person.api.get(MYSELF);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBe(60);
    expect(secondsFromNow(allowanceIn(refused).reset)).toBeLessThanOrEqual(61);
  });

  it('counts the requests of a user across all of their keys', async () => {
    const key = await person.api.post<{ key: string }>(`/users/${person.id}/apiKeys`, { name: 'Another' });
    const other = new ApiClient(tested.world.server.baseUrl, key.body.key);
    for (let count = 0; count < LIMITS.read / 2; count++) {
      expect([(await person.api.get(MYSELF)).status, (await other.get(MYSELF)).status]).toEqual([200, 200]);
    }
    expect([(await person.api.get(MYSELF)).status, (await other.get(MYSELF)).status]).toEqual([429, 429]);
    const somebodyElse = await tested.world.addUser();
    expect((await somebodyElse.api.get(MYSELF)).status).toBe(200);
  });

  it('counts requests by class, whether they succeed or fail', async () => {
    const project = await tested.world.addProject();
    await tested.world.join(project, person);
    expect(await classesLeft(person)).toEqual(LIMITS);
    const answers = [
      await person.api.get(`/issues/${project.issueKey}`),
      await person.api.get('/issues/NONE-1'),
      await person.api.send('HEAD', MYSELF),
      await person.api.get('/issues?keyword=nothing'),
      await person.api.get(`/wikis/count?projectIdOrKey=${project.key}`),
      await person.api.post(`/issues/${project.issueKey}/comments`, { content: 'One' }),
      await person.api.post(`/issues/${project.issueKey}/comments`, {}),
      await person.api.delete(`/projects/${project.key}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 200, 200, 200, 201, 400, 403]);
    const { read, search, update } = LIMITS;
    expect(answers.map((answer) => allowanceIn(answer).limit)).toEqual([
      ...[read, read, read, search, search, update, update, update],
    ]);
    expect(await classesLeft(person)).toEqual({ read: 1, search: 0, update: 0, icon: LIMITS.icon });
    const refused = [
      await person.api.get('/issues/count'),
      await person.api.post(`/issues/${project.issueKey}/comments`, { content: 'Two' }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([429, 429]);
    expect((await person.api.get(MYSELF)).status).toBe(200);
    const { body } = await tested.world.admin.api.get<{ count: number }>(
      `/issues/${project.issueKey}/comments/count`,
    );
    expect(body.count).toBe(1);
  });

  it('excludes GET /rateLimit, whose headers report the remaining reads', async () => {
    for (let count = 0; count < 2 * LIMITS.read; count++) {
      const answer = await person.api.get('/rateLimit');
      expect(answer.status).toBe(200);
      expect(allowanceIn(answer)).toMatchObject({ limit: LIMITS.read, remaining: LIMITS.read });
    }
  });

  it('counts simultaneous requests exactly', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => person.api.get(MYSELF)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(LIMITS.read);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10 - LIMITS.read);
  });

  it('excludes requests without a valid key and omits their rate limit headers', async () => {
    for (let count = 0; count <= LIMITS.read; count++) {
      for (const key of [undefined, generateApiKey()]) {
        const answer = await new ApiClient(tested.world.server.baseUrl, key).get(MYSELF);
        expect(answer.status).toBe(401);
        expect(answer.headers.has('x-ratelimit-limit')).toBe(false);
      }
    }
  });
});

describe('the rate limit with RATE_LIMIT=off', () => {
  const tested = useWorld({ ...ENVIRONMENT, RATE_LIMIT: 'off' });

  it('refuses no requests, sends no rate limit headers and reports full allowances', async () => {
    const person = await tested.world.addUser();
    for (let count = 0; count < 2 * LIMITS.read; count++) {
      const answer = await person.api.get(MYSELF);
      expect(answer.status).toBe(200);
      expect(answer.headers.has('x-ratelimit-limit')).toBe(false);
    }
    expect(await classesLeft(person)).toEqual(LIMITS);
  });
});

describe('the rate limit with an unreachable Redis', () => {
  const tested = useWorld({ ...ENVIRONMENT, REDIS_URL: 'redis://somebody:hidden-word@127.0.0.1:1' });

  it('counts requests in memory', async () => {
    const person = await tested.world.addUser();
    for (let left = LIMITS.read - 1; left >= 0; left--) {
      expect(allowanceIn(await person.api.get(MYSELF)).remaining).toBe(left);
    }
    expect((await person.api.get(MYSELF)).status).toBe(429);
    expect((await classesLeft(person)).read).toBe(0);
  });
});

describeWithRedis('RedisRates (TEST_REDIS_URL)', () => {
  const LIMIT = 5;
  const KEY = '1';
  const redis = useRedisLine();
  const processes: RedisRates[] = [];
  let databaseUrl: string;
  let counter = 0;

  beforeEach(() => {
    databaseUrl = `mysql://127.0.0.1/rates_${process.pid}_${Date.now()}_${++counter}`;
  });
  afterEach(() => {
    for (const rates of processes.splice(0)) rates.onApplicationShutdown();
    vi.restoreAllMocks();
  });

  /** Starts the counter of a process, once it is connected. */
  async function start(name = 'read', url = REDIS_URL, seconds = 60): ReturnType<typeof connected> {
    const rates = new RedisRates(readEnvironment({ DATABASE_URL: databaseUrl, REDIS_URL: url }));
    processes.push(rates);
    await rates.onModuleInit();
    return connected(rates, name, seconds);
  }

  async function connected(rates: RedisRates, name: string, seconds: number) {
    await eventually(
      () => Promise.resolve(rates.isShared),
      (isShared) => isShared,
    );
    return rates.counter(name, LIMIT, seconds);
  }

  const counts = (count: number): unknown => expect.objectContaining({ count });

  it('counts together for processes on one database, separately for each class', async () => {
    const [one, other, update] = [await start(), await start(), await start('update')];
    expect(await one.get(KEY)).toBeUndefined();
    expect(await one.add(KEY)).toEqual(counts(1));
    expect(await other.add(KEY)).toEqual(counts(2));
    expect(await one.get(KEY)).toEqual(counts(2));
    expect(await one.add('2')).toEqual(counts(1));
    expect(await update.add(KEY)).toEqual(counts(1));
  });

  it('counts simultaneous requests exactly', async () => {
    const [one, other] = [await start(), await start()];
    const found = await Promise.all([one, other, one, other, one].map((process) => process.add(KEY)));
    expect(found.map(({ count }) => count).sort()).toEqual([1, 2, 3, 4, 5]);
    expect(await other.get(KEY)).toEqual(counts(5));
  });

  it('ends a window in Redis after its original duration', async () => {
    const [one, other] = [await start('read', REDIS_URL, 1), await start('read', REDIS_URL, 1)];
    for (let added = 0; added <= LIMIT; added++) await one.add(KEY);
    expect((await one.add(KEY)).msLeft).toBeLessThanOrEqual(1000);
    await eventually(
      async () => (await other.get(KEY)) ?? 'nothing',
      (found) => found === 'nothing',
    );
    await eventually(
      () => one.add(KEY),
      ({ count }) => count <= LIMIT,
    );
  });

  it('stops counting in Redis once the limit is exceeded', async () => {
    const [one, other] = [await start(), await start()];
    for (let added = 0; added < LIMIT + 1; added++) await one.add(KEY);
    for (let added = 0; added < 1000; added++) expect(await one.add(KEY)).toEqual(counts(LIMIT + 1));
    expect(await other.get(KEY)).toEqual(counts(LIMIT + 1));
  });

  it('counts per process while Redis is unreachable, and together again afterwards', async () => {
    const warnings: string[] = [];
    vi.spyOn(Logger.prototype, 'warn').mockImplementation(
      (...parts: unknown[]) => void warnings.push(parts.map(String).join(' ')),
    );
    const [far, near] = [await start('read', redis.line.url), await start()];
    expect(await near.add(KEY)).toEqual(counts(1));
    expect(await far.add(KEY)).toEqual(counts(2));
    redis.line.cut();
    await eventually(
      () => far.add(KEY),
      ({ count }) => count === 1,
    );
    expect(await near.add(KEY)).toEqual(counts(3));
    expect(warnings).toEqual([expect.stringMatching(/^Redis cannot be used \(.+\): each process counts/)]);
    redis.line.restore();
    await eventually(
      () => far.get(KEY),
      ({ count }) => count === 3,
    );
  });

  it('counts per process after a single short wait when Redis hangs', async () => {
    vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const far = await start('read', redis.line.url);
    expect(await far.add(KEY)).toEqual(counts(1));
    redis.line.mute();
    // Neither would finish within the timeout of a test if every request waited.
    const flood = await Promise.all(Array.from({ length: 3000 }, (_, index) => far.add(`flood ${index}`)));
    expect(flood.every(({ count }) => count === 1)).toBe(true);
    for (let added = 0; added < 1000; added++) expect(await far.add(`later ${added}`)).toEqual(counts(1));
    expect(processes[0]?.isShared).toBe(false);
  });
});

describeOnServer('the rate limit of two processes on one database (TEST_DATABASE_URL)', () => {
  const applications = useApplications();
  const ADMIN_API_KEY = generateApiKey();

  async function listen(): Promise<{ app: NestExpressApplication; api: ApiClient }> {
    const app = await applications.create({ ...ENVIRONMENT, REDIS_URL, ADMIN_API_KEY });
    await app.get(FirstStartService).run();
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    await eventually(
      () => Promise.resolve(app.get(RedisRates, { strict: false }).isShared),
      (isShared) => isShared,
    );
    return { app, api: new ApiClient(`http://127.0.0.1:${port}/api/v2`, ADMIN_API_KEY) };
  }

  it('counts the requests of a user to both processes together', async () => {
    const [one, other] = [await listen(), await listen()];
    const statuses: number[] = [];
    for (let count = 0; count <= LIMITS.read / 2; count++) {
      for (const { api } of [one, other]) statuses.push((await api.get(MYSELF)).status);
    }
    expect(statuses).toEqual([...Array<number>(LIMITS.read).fill(200), 429, 429]);
  });
});
