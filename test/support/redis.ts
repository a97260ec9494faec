import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** URL of the Redis server for the tests. */
export const REDIS_URL = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379';

const { hostname, port } = new URL(REDIS_URL);
const address = { host: hostname, port: Number(port || 6379) };

const PROBE = `require('node:net').connect(${JSON.stringify(address)})
  .once('connect', () => process.exit(0)).once('error', () => process.exit(1)).setTimeout(2000, () => process.exit(1))`;

const isReachable = (): boolean => spawnSync(process.execPath, ['-e', PROBE]).status === 0;

/** Node and npm are enough to run the suite; the build machine must have Redis. */
export const describeWithRedis = describe.runIf(Boolean(process.env.CI) || isReachable());

/** A proxy to Redis that can be cut. */
export class RedisLine {
  /** Number of accepted connections, followed by that of refused ones. */
  accepted = 0;
  refused = 0;
  private readonly sockets = new Set<Socket>();
  private state: 'whole' | 'cut' | 'mute' = 'whole';

  private constructor(private readonly server: Server) {}

  static async start(): Promise<RedisLine> {
    const server = createServer();
    const line = new RedisLine(server);
    server.on('connection', (socket) => line.take(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return line;
  }

  get url(): string {
    const url = new URL(REDIS_URL);
    url.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return url.toString();
  }

  /** Number of open connections from the service. */
  get open(): number {
    return this.sockets.size;
  }

  /** Closes every connection, and each new one immediately. */
  cut(): void {
    this.state = 'cut';
    for (const socket of this.sockets) socket.destroy();
  }

  /** Stops forwarding data, but closes no connection. */
  mute(): void {
    this.state = 'mute';
  }

  /** Forwards new connections again. */
  restore(): void {
    this.state = 'whole';
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.cut();
    this.server.close();
    await closed;
  }

  private take(socket: Socket): void {
    if (this.state === 'cut') {
      this.refused++;
      socket.destroy();
      return;
    }
    this.accepted++;
    this.sockets.add(socket);
    const onward = connect(address);
    for (const [from, to] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      from.on('error', () => undefined);
      from.on('data', (data) => {
        if (this.state !== 'mute') to.write(data);
      });
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
    }
  }
}

/** Opens a line for each test. */
export function useRedisLine(): { readonly line: RedisLine } {
  let line: RedisLine;
  beforeEach(async () => {
    line = await RedisLine.start();
  });
  afterEach(() => line.stop());
  return {
    get line() {
      return line;
    },
  };
}
