import { Logger } from '@nestjs/common';
import { generateApiKey } from '../../src/users/api-key';
import { ApiClient } from '../support/api';
import { eventually } from '../support/webhooks';
import { Wire } from '../support/wire';
import { type Person, useWorld } from '../support/world';

const MOST = 2;

describe('the log line of a refusal with 429', () => {
  const tested = useWorld({
    RATE_LIMIT: 'on',
    RATE_LIMIT_READ: String(MOST),
    RATE_LIMIT_UPDATE: String(MOST),
    RATE_LIMIT_SEARCH: String(MOST),
    RATE_LIMIT_ICON: String(MOST),
    MAX_FAILED_KEYS: String(MOST),
    MAX_UNAUTHENTICATED_CONNECTIONS: '5',
  });
  let person: Person;
  let logged: [Record<string, unknown>, string][];

  beforeEach(async () => {
    person = await tested.world.addUser();
    logged = [];
    vi.spyOn(Logger.prototype, 'warn').mockImplementation((...line: unknown[]) => {
      logged.push(line as [Record<string, unknown>, string]);
    });
  });
  afterEach(() => vi.restoreAllMocks());

  /** Returns what the lines say; without those that count the refusals of earlier tests. */
  const refusals = (): Record<string, unknown>[] =>
    logged
      .filter(([details, message]) => message.startsWith('A limit was reached') && !('leftOut' in details))
      .map(([details]) => details);

  it.each<[string, string, (person: Person) => Promise<{ status: number }>]>([
    ['read_rate', 'RATE_LIMIT_READ', ({ api }) => api.get('/users/myself')],
    ['update_rate', 'RATE_LIMIT_UPDATE', ({ api }) => api.post('/notifications/markAsRead')],
    ['search_rate', 'RATE_LIMIT_SEARCH', ({ api }) => api.get('/issues/count')],
    ['icon_rate', 'RATE_LIMIT_ICON', ({ api, id }) => api.get(`/users/${id}/icon`)],
  ])('names the user, limit and setting for %s', async (limit, setting, send) => {
    for (let count = 0; count < MOST; count++) expect((await send(person)).status).not.toBe(429);
    expect((await send(person)).status).toBe(429);
    expect(refusals()).toEqual([
      expect.objectContaining({
        userId: person.id,
        address: expect.any(String),
        operation: expect.any(String),
        requestId: expect.anything(),
        limit,
        setting,
        most: MOST,
      }),
    ]);
  });

  it('appears for each user regardless of the refusals of others', async () => {
    const busy = await tested.world.addUser();
    for (let count = 0; count < 60; count++) await busy.api.get('/users/myself');
    for (let count = 0; count <= MOST; count++) await person.api.get('/users/myself');
    const users = refusals().map(({ userId }) => userId);
    expect(users.filter((id) => id === person.id)).toHaveLength(1);
    expect(users.length).toBeLessThan(25);
  });

  it('names the address for wrong API keys', async () => {
    const wrong = new ApiClient(tested.world.server.baseUrl, generateApiKey().slice(4));
    for (let count = 0; count <= MOST; count++) await wrong.get('/users/myself');
    const details = { limit: 'failed_keys', setting: 'MAX_FAILED_KEYS', most: MOST };
    expect(refusals()).toEqual([
      expect.objectContaining({ userId: null, address: expect.any(String), ...details }),
    ]);
    expect(logged).toContainEqual([{ address: '127.0.0.1', ...details }, 'Too many wrong API keys']);
  });

  it('names the address for unauthenticated connections', async () => {
    const wires: Wire[] = [];
    for (let count = 0; count < 6; count++) wires.push(await Wire.open(tested.world.server.baseUrl));
    await eventually(
      () => Promise.resolve(logged.filter(([, message]) => message.startsWith('Too many connections'))),
      (lines) => lines.length > 0,
    );
    for (const wire of wires) wire.close();
    expect(logged).toContainEqual([
      {
        address: '127.0.0.1',
        limit: 'unauthenticated_connections',
        setting: 'MAX_UNAUTHENTICATED_CONNECTIONS',
        most: 5,
      },
      'Too many connections without a valid API key',
    ]);
  });
});
