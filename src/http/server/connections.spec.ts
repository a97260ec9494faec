import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, type Socket } from 'node:net';
import { RawConnection } from '../../../test/support/raw-connection';
import { Connections } from './connections';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
/** In milliseconds; long enough that a busy machine does not exceed it between a connection and its first request. */
const PROGRESS = 500;
/** More than the buffers of both ends hold. */
const LARGE = Buffer.alloc(32 * 1024 * 1024, 'a');

describe(Connections.name, () => {
  let server: Server;
  let connections: Connections;
  let handle: RequestListener;
  let opened: RawConnection[];

  async function start(times: { progress?: number; grace?: number } = {}): Promise<void> {
    server = createServer({ keepAliveTimeout: 60_000 });
    connections = new Connections(server, { handshake: 1000, progress: PROGRESS, grace: 10_000, ...times });
    server.on('request', (request, response) => {
      if (connections.begin(response)) handle(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }

  beforeEach(() => {
    opened = [];
    handle = (request, response) => {
      request.resume();
      response.end('ok');
    };
  });

  afterEach(() => {
    for (const { socket } of opened) socket.destroy();
    server.closeAllConnections();
    server.close();
  });

  async function open(text = ''): Promise<RawConnection> {
    const connection = await RawConnection.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    opened.push(connection);
    return connection.send(text);
  }

  describe('with a progress timeout', () => {
    beforeEach(() => start());

    const answerWhole: RequestListener = (request, response) => {
      request.resume();
      request.on('end', () => response.end('whole'));
    };

    it('closes a connection whose client does not read the response', async () => {
      const gone = new Promise((resolve) => {
        handle = (_request, response) => {
          response.on('close', resolve);
          response.end(LARGE);
        };
      });
      const client = await open();
      client.stopReading().send(GET);
      await gone;
      client.socket.resume();
      expect((await client.closed()).length).toBeLessThan(LARGE.length);
    });

    it('closes a connection whose response fails with a numeric error code', async () => {
      handle = (_request, response) => {
        response.write('a');
        response.destroy(Object.assign(new Error('Cut off.'), { code: 10 }));
      };
      const client = await open(GET);
      await client.closed();
      const other = await open();
      expect(other.isClosed).toBe(false);
    });

    it('closes a connection whose client stops sending the request body', async () => {
      handle = (request) => request.resume();
      const client = await open('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab');
      expect(await client.closed()).toBe('');
    });

    it('keeps a connection open past the timeout while the service prepares the response', async () => {
      const timeout = once(server, 'timeout');
      handle = (request, response) => {
        request.resume();
        void timeout.then(() => response.end('late'));
      };
      const client = await open('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab');
      expect(await client.receives(/late$/)).toMatch(/^HTTP\/1.1 200 OK/);
    });

    it('keeps a connection open past the timeout until the service reads the body', async () => {
      const timeout = once(server, 'timeout');
      handle = (request, response) => {
        void timeout.then(() => {
          request.resume();
          request.on('end', () => response.end('late'));
        });
      };
      const client = await open('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n');
      client.send('a'.repeat(200_000));
      expect(await client.receives(/late$/)).toMatch(/^HTTP\/1.1 200 OK/);
    });

    it('keeps a connection open whose data arrived while the process was busy for longer than the timeout', async () => {
      handle = answerWhole;
      const begun = once(server, 'request');
      const client = await open('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n');
      await begun;
      // After it, Node runs timers before it reads from connections.
      await new Promise(setImmediate);
      client.send('ab');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PROGRESS * 1.2);
      expect(await client.receives(/whole$/)).toMatch(/^HTTP\/1.1 200 OK/);
    });

    it('keeps a connection open while the request body arrives slowly', async () => {
      handle = answerWhole;
      const client = await open('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n');
      for (let times = 0; times < 10; times++) {
        await new Promise((resolve) => setTimeout(resolve, PROGRESS / 5));
        client.send('a');
      }
      expect(await client.receives(/whole$/)).toMatch(/^HTTP\/1.1 200 OK/);
    });
  });

  describe('with an unreadable request', () => {
    beforeEach(() => start({ progress: 60_000 }));

    it('closes a connection with an unreadable request at once, whether or not its client reads', async () => {
      const accepted = once(server, 'connection');
      const client = await open();
      const [socket] = (await accepted) as [Socket];
      client.stopReading().send('HELLO\r\n\r\n');
      await new Promise((resolve) => socket.once('close', resolve));
      client.socket.resume();
      expect(await client.closed()).toMatch(/^HTTP\/1.1 400 Bad Request\r\n[^]*"code":7/);
    });
  });

  describe('with pipelined requests', () => {
    beforeEach(() => start({ progress: 60_000 }));

    const ends: (() => void)[] = [];
    beforeEach(() => {
      ends.length = 0;
      handle = (_request, response) => ends.push(() => response.end('ok'));
    });

    const whenArrived = async (count: number): Promise<void> => {
      while (ends.length < count) await once(server, 'request');
    };

    it('serves 33 requests at a time, repeatedly, on one connection', async () => {
      const client = await open();
      for (let round = 1; round <= 3; round++) {
        client.send(GET.repeat(33));
        await whenArrived(33);
        for (const end of ends.splice(0)) end();
        while (client.received.split('\r\n\r\nok').length <= 33 * round) await once(client.socket, 'data');
      }
    });

    it('closes a connection that sends more, without serving the excess', async () => {
      const client = await open(GET.repeat(3000));
      expect(await client.closed()).toBe('');
      expect(ends).toHaveLength(33);
    });
  });

  describe('when stopping', () => {
    it('closes idle connections at once', async () => {
      await start();
      const client = await open(GET);
      await client.receives(/ok$/);
      await Promise.all([connections.close(false), client.closed()]);
      expect(server.listening).toBe(false);
    });

    it('answers a running request with Connection: close', async () => {
      await start();
      let answer: () => void = () => undefined;
      handle = (_request, response) => {
        answer = () => response.end('ok');
      };
      const client = await open();
      const arrived = once(server, 'request');
      client.send(GET);
      await arrived;
      const closed = connections.close(false);
      expect(connections.isStopping).toBe(true);
      answer();
      expect(await client.closed()).toMatch(/Connection: close\r\n[^]*ok$/);
      await closed;
    });

    it('answers one more request on a kept-alive connection in the grace period', async () => {
      await start();
      const client = await open(GET);
      await client.receives(/ok$/);
      const closed = connections.close(true);
      client.send(GET);
      expect(await client.closed()).toMatch(/ok[^]*Connection: close\r\n[^]*ok$/);
      await closed;
    });

    it('stops immediately when no client is connected', async () => {
      await start({ grace: 2 ** 31 - 1 });
      await connections.close(true);
      expect(server.listening).toBe(false);
    });

    it.each<[string, string, boolean]>([
      ['sends nothing', '', false],
      ['sends a partial request head', 'GET / HTTP/1.1\r\nHost', false],
      ['sends a partial request body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab', false],
      ['does not read the response', GET, true],
    ])('disconnects after the grace period a client that %s', async (_what, text, isDeaf) => {
      await start({ grace: 200, progress: 60_000 });
      handle = (request, response) => {
        request.resume();
        if (isDeaf) response.end(LARGE);
      };
      const client = await open();
      if (isDeaf) client.stopReading();
      client.send(text);
      if (text.includes('\r\n\r\n')) await once(server, 'request');
      await connections.close(true);
      if (!isDeaf) await client.closed();
      expect(await new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))).toBe(
        0,
      );
    });

    it('disconnects after the grace period a client that sends its request head slowly', async () => {
      await start({ grace: 200, progress: 60_000 });
      const client = await open('GET / HTTP/1.1\r\nX: ');
      const drip = setInterval(() => client.send('a'), 20);
      await connections.close(true);
      await client.closed();
      clearInterval(drip);
      expect(client.isClosed).toBe(true);
    });
  });
});
