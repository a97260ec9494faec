import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { FakeServer } from '../../../test/support/fake-server';
import { findServer } from './server-finding';

const LIMIT_MS = 2000;
/** The packet with which a client leaves. */
const QUIT = Buffer.from([1, 0, 0, 0, 1]);

describe(findServer.name, () => {
  let socket: Socket;

  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => {
    socket.destroy();
    vi.useRealTimers();
  });

  /** Connects to a server that never ends its side of a connection. */
  const open = (port: number): Socket => {
    socket = connect(port, '127.0.0.1');
    vi.spyOn(socket, 'end').mockReturnValue(socket);
    return socket;
  };

  it('closes its connection to a server that does not answer', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const finding = findServer({ stream: () => open((server.address() as AddressInfo).port) }, false);
    await once(socket, 'connect');
    vi.advanceTimersByTime(LIMIT_MS);
    expect(await finding).toEqual({ state: 'late' });
    expect(socket.destroyed).toBe(true);
    server.close();
  });

  it('sends COM_QUIT, then closes a connection that the server leaves open', async () => {
    const server = await new FakeServer().open();
    const port = Number(server.host.split(':')[1]);
    const written: unknown[] = [];
    const stream = (): Socket => {
      const { write } = open(port);
      vi.spyOn(socket, 'write').mockImplementation((...chunk: unknown[]) => {
        written.push(chunk[0]);
        return write.apply(socket, chunk as never);
      });
      return socket;
    };
    expect(await findServer({ stream }, false)).toEqual({ state: 'writable' });
    await new Promise(setImmediate);
    expect(written.at(-1)).toEqual(QUIT);
    vi.advanceTimersByTime(LIMIT_MS);
    expect(socket.destroyed).toBe(true);
    await server.close();
  });
});
