import { once } from 'node:events';
import { createServer, type Server, ServerResponse } from 'node:http';
import { type AddressInfo, type Socket } from 'node:net';
import { type Request, type Response } from 'express';
import { RawConnection } from '../../../test/support/raw-connection';
import { loopTurns } from '../../event-loop/loop-turns';
import { JsonWriter } from './json-writer';
import { PendingAnswers } from './pending-answers';
import { userReplacer } from './shown-users';

const LETTERS = 200_000;
/** More than the buffers of both ends of a connection hold. */
const COUNT = 100;

const REPLY = { text: 'a'.repeat(100_000), more: ['é'] };
/** An item whose list alone is as long as a long list. */
const COMMENT = { id: 1, none: undefined, replies: Array.from({ length: 30 }, () => REPLY), after: null };
const SHORT_COMMENT = { id: 2, replies: [{ text: 'b' }] };
const ALIAS = { name: 'alias', idName: 'aliasId' };
const ACCOUNT = { vendorAccount: { vendorId: 'x', name: 'X' } };

/** Items that count how many of them have been serialised. */
class Items {
  made = 0;
  readonly list = Array.from({ length: COUNT }, (_item, index) => ({
    index,
    toJSON: () => {
      this.made++;
      return { index, text: 'a'.repeat(LETTERS) };
    },
  }));
}

describe(JsonWriter.name, () => {
  let server: Server;
  let pending: PendingAnswers;
  let writer: JsonWriter;
  let value: unknown;
  let callerId: number | undefined;
  let opened: RawConnection[];
  /** The result of each response. */
  let outcomes: Promise<unknown>[];
  /** Responses of which nothing has been sent yet. */
  let unsent: Set<ServerResponse>;

  beforeEach(async () => {
    opened = [];
    outcomes = [];
    unsent = new Set();
    callerId = 1;
    withLimits({ perUser: 0, total: 0 });
    server = createServer((request, response) => {
      const caller = callerId === undefined ? undefined : { id: callerId };
      const answer = Object.assign(response, {
        req: Object.assign(request, { caller }) as unknown as Request,
      });
      const send = async (): Promise<unknown> => writer.send(answer as unknown as Response, value);
      unsent.add(response);
      outcomes.push(
        send()
          .catch((error: unknown) => {
            response.writeHead(429).end();
            return error;
          })
          .finally(() => unsent.delete(response)),
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(() => {
    vi.restoreAllMocks();
    for (const { socket } of opened) socket.destroy();
    server.closeAllConnections();
    server.close();
  });

  function withLimits(limits: { perUser: number; total: number }): void {
    pending = new PendingAnswers(limits);
    writer = new JsonWriter(pending);
  }

  const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const head = (method: string): string => `${method} / HTTP/1.1\r\nHost: a\r\n\r\n`;

  /** Opens a client that sends requests as a user and does not read the responses; resolves when each has begun or been refused. */
  async function ask(userId: number, method = 'GET', times = 1): Promise<RawConnection> {
    callerId = userId;
    const arrived = Promise.all(
      Array.from({ length: times }, (_request, index) => whenCount(outcomes.length + index + 1)),
    );
    const client = await RawConnection.open(url());
    opened.push(client.stopReading().send(head(method).repeat(times)));
    await arrived;
    while ([...unsent].some((response) => !response.headersSent)) await new Promise(setImmediate);
    return client;
  }

  async function whenCount(count: number): Promise<void> {
    while (outcomes.length < count) await once(server, 'request');
  }

  /** Resolves when no further items are serialised, because the client does not read. */
  async function whenStalled(items: Items): Promise<number> {
    for (let before = -1; before !== items.made || before === 0;) {
      before = items.made;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return items.made;
  }

  it.each([
    ['a short value', { a: 1 }, 0],
    ['a long value', { text: 'a'.repeat(LETTERS) }, 1],
    ['a list of one long item', [{ text: 'a'.repeat(LETTERS) }], 1],
  ])('reports long work $2 times after sending %s', async (_what, given, times) => {
    const noteLongWork = vi.spyOn(loopTurns, 'noteLongWork');
    value = given;
    const response = await fetch(url());
    expect(await response.json()).toEqual(given);
    expect(noteLongWork).toHaveBeenCalledTimes(times);
    noteLongWork.mockRestore();
  });

  it.each([
    ['an empty list', []],
    ['a list of one item', [{ a: 1 }]],
    ['a short list', Array.from({ length: 25 }, (_item, index) => ({ index, text: 'é' }))],
    ['an object', { list: [1, 2], none: null }],
    ['null', null],
  ])('sends %s in one piece with Content-Length', async (_what, small) => {
    value = small;
    const response = await fetch(url());
    const text = JSON.stringify(small);
    expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.text()).toBe(text);
    expect(pending.hasPending).toBe(false);
  });

  it('sends a long list in chunks and yields to the event loop between them', async () => {
    const items = new Items();
    value = items.list;
    let turns = 0;
    const madeAtTurn = new Set<number>();
    const timer = setInterval(() => {
      turns++;
      madeAtTurn.add(items.made);
    }, 0);
    const response = await fetch(url());
    const text = await response.text();
    clearInterval(timer);
    expect(response.headers.has('content-length')).toBe(false);
    expect(text === JSON.stringify(items.list)).toBe(true);
    expect(turns).toBeGreaterThan(5);
    expect(madeAtTurn.size).toBeGreaterThan(5);
    expect(await Promise.all(outcomes)).toEqual([undefined]);
    expect(pending.hasPending).toBe(false);
  });

  it('sends an object with long lists in one piece, yielding to the event loop meanwhile', async () => {
    const list = Array.from({ length: 20 }, (_item, index) => ({ index, text: 'a\u0001'.repeat(10_000) }));
    const object = { before: null, none: undefined, list, more: [1], after: 'é' };
    value = object;
    const slices = vi.spyOn(loopTurns, 'nextSlice');
    const response = await fetch(url());
    const text = JSON.stringify(object);
    expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
    expect((await response.text()) === text).toBe(true);
    expect(slices.mock.calls.length).toBeGreaterThan(20);
    slices.mockRestore();
  });

  it.each([
    ['a list of one item with a long list', [COMMENT]],
    [
      'a list of such items among others',
      [...Array<object>(15).fill(SHORT_COMMENT), COMMENT, SHORT_COMMENT, COMMENT],
    ],
    ['an object with a very long list', COMMENT],
  ])('sends %s in chunks and yields to the event loop between them', async (_what, given) => {
    value = given;
    const slices = vi.spyOn(loopTurns, 'nextSlice');
    const written = vi.spyOn(ServerResponse.prototype, 'write');
    const response = await fetch(url());
    expect((await response.text()) === JSON.stringify(given)).toBe(true);
    expect(response.headers.has('content-length')).toBe(false);
    expect(written.mock.calls.length).toBeGreaterThan(0);
    expect(slices.mock.calls.length).toBeGreaterThan(20);
    expect(pending.hasPending).toBe(false);
  });

  it('serialises at most a few long items of nested lists at once', async () => {
    value = Array.from({ length: 5 }, () => ({ replies: Array.from({ length: 10 }, () => REPLY) }));
    const written = vi.spyOn(ServerResponse.prototype, 'write');
    expect((await (await fetch(url())).text()) === JSON.stringify(value)).toBe(true);
    const lengths = written.mock.calls.map(([piece]) => (piece as string).length);
    expect(Math.max(...lengths)).toBeLessThan(11 * REPLY.text.length);
  });

  it('sends an object with a long text in one piece, yielding to the event loop meanwhile', async () => {
    const object = { before: 1, text: 'é😀\u0001😀'.repeat(70_000), after: null };
    value = object;
    const slices = vi.spyOn(loopTurns, 'nextSlice');
    const response = await fetch(url());
    expect(response.headers.has('content-length')).toBe(true);
    expect((await response.json()) as object).toEqual(object);
    expect(slices.mock.calls.length).toBeGreaterThan(5);
  });

  it.each([
    ['a list of an item with a long text', [{ text: 'a'.repeat(2 * LETTERS) }]],
    [
      'a list of such items among others',
      [...Array<object>(20).fill({ id: 1 }), ...Array<object>(10).fill(REPLY)],
    ],
    ['an object with a very long text', { text: '\u0001'.repeat(5 * LETTERS) }],
  ])('sends %s in short pieces', async (_what, given) => {
    value = given;
    const written = vi.spyOn(ServerResponse.prototype, 'write');
    expect((await (await fetch(url())).text()) === JSON.stringify(given)).toBe(true);
    const lengths = written.mock.calls.map(([piece]) => (piece as string).length);
    expect(lengths.length).toBeGreaterThan(3);
    expect(Math.max(...lengths.slice(1))).toBeLessThan(3 * LETTERS);
  });

  it('changes users in items with long lists like all others', async () => {
    writer = new JsonWriter(pending, ALIAS);
    const replies = COMMENT.replies.map((reply) => ({ ...reply, ...ACCOUNT }));
    value = [{ ...ACCOUNT, replies }, ACCOUNT];
    const text = await (await fetch(url())).text();
    expect(text === JSON.stringify(value, userReplacer(ALIAS))).toBe(true);
  });

  it('sends an object with short lists without yielding to the event loop', async () => {
    value = { list: Array.from({ length: 10 }, () => ({ text: 'a'.repeat(10_000) })), more: [] };
    const slices = vi.spyOn(loopTurns, 'nextSlice');
    expect(await (await fetch(url())).json()).toEqual(value);
    expect(slices).not.toHaveBeenCalled();
    slices.mockRestore();
  });

  it('answers HEAD without serialising the whole list', async () => {
    const items = new Items();
    value = items.list;
    const response = await fetch(url(), { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(items.made).toBeLessThanOrEqual(10);
  });

  it('serialises items only as the client reads them', async () => {
    const items = new Items();
    value = items.list;
    const client = await ask(1);
    expect(await whenStalled(items)).toBeLessThan(COUNT);
    client.socket.resume();
    await Promise.all(outcomes);
    expect(items.made).toBe(COUNT);
    client.socket.end();
    expect((await client.closed()).length).toBeGreaterThan(COUNT * LETTERS);
    expect(pending.hasPending).toBe(false);
  });

  it.each([1, 3])('stops serialising when a client with %d pending responses disconnects', async (times) => {
    const items = new Items();
    value = items.list;
    const client = await ask(1, 'GET', times);
    await whenStalled(items);
    expect(pending.hasPending).toBe(true);
    client.socket.destroy();
    await Promise.all(outcomes);
    expect(items.made).toBeLessThan(COUNT);
    expect(pending.hasPending).toBe(false);
  });

  it('serialises at most 10 items for a client that has already disconnected', async () => {
    const items = new Items();
    const later = new Promise<void>((resolve) => setImmediate(resolve));
    value = items.list;
    server.prependListener('request', (request: { socket: Socket }) => request.socket.destroy());
    const client = await ask(1);
    await client.closed();
    await later;
    await Promise.all(outcomes);
    expect(items.made).toBeLessThanOrEqual(10);
    expect(pending.hasPending).toBe(false);
  });

  describe('with memory limits', () => {
    const refusal = (outcome: unknown): unknown => (outcome as { code?: number } | undefined)?.code;

    it('refuses only the user with unread responses over the limit', async () => {
      withLimits({ perUser: 1, total: 0 });
      value = new Items().list;
      const client = await ask(1);
      value = { small: true };
      await ask(1);
      expect(refusal(await outcomes[1])).toBe(13);
      await ask(2);
      expect(await outcomes[2]).toBeUndefined();
      callerId = undefined;
      expect((await fetch(url())).status).toBe(200);
      client.socket.destroy();
      await outcomes[0];
      await ask(1);
      expect(await outcomes[4]).toBeUndefined();
    });

    it('refuses only users with unread responses when the total limit is reached', async () => {
      withLimits({ perUser: 0, total: 1 });
      value = new Items().list;
      await ask(1);
      await ask(2);
      value = { small: true };
      await ask(1);
      expect(refusal(await outcomes[2])).toBe(13);
      await ask(3);
      expect(await outcomes[3]).toBeUndefined();
    });

    it('sends the response to a write despite the limits', async () => {
      withLimits({ perUser: 1, total: 1 });
      value = new Items().list;
      await ask(1);
      value = { small: true };
      await ask(1, 'POST');
      expect(await outcomes[1]).toBeUndefined();
    });

    it('counts an object shared by several items once', async () => {
      const text = 'a'.repeat(100_000);
      const shared = { text };
      withLimits({ perUser: 1_000_000, total: 0 });
      value = Array.from({ length: 300 }, () => ({ shared }));
      // Each holds the text itself and a piece of the same length, at two bytes per character.
      for (let times = 0; times < 3; times++) await ask(1);
      expect(refusal(await Promise.race(outcomes))).toBe(13);
      expect(await Promise.race([outcomes[0], outcomes[1], Promise.resolve('waits')])).toBe('waits');
    });

    it('counts an unread response of a single large item', async () => {
      withLimits({ perUser: 1, total: 0 });
      value = ['a'.repeat(20_000_000)];
      await ask(1);
      expect(await outcomes[0]).toBeUndefined();
      expect(pending.hasPending).toBe(true);
      value = { small: true };
      await ask(1);
      expect(refusal(await outcomes[1])).toBe(13);
    });
  });
});
