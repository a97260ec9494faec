import { connect, isIP, type Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { createConnection, type ConnectionOptions, type PoolConnection } from 'mysql2';
import { type ServerAddress } from '../../config/server-url';

/** How often the servers are looked at, in milliseconds. */
const PROBE_INTERVAL_MS = 1000;
/** How long a server may take to show that it works, in milliseconds. */
const PROBE_TIMEOUT_MS = 2000;
/** What a node of a Galera cluster calls itself when it takes writes; other servers know no such status. */
const SYNCED = 'Synced';
const LATE = 'it does not answer';

/**
 * The servers of one database, of which the first that works is used. New connections go to that one; when it fails, all its
 * connections are destroyed, and once a preferred one works again, connections are replaced as they are taken from the pool.
 */
export class Servers {
  private readonly logger = new Logger('Database');
  private readonly down = new Set<ServerAddress>();
  private readonly serverByConfig = new WeakMap<object, ServerAddress>();
  /** Servers that have not answered in time once; a busy one may. */
  private readonly late = new Set<ServerAddress>();
  private timer?: NodeJS.Timeout;
  private isProbing = false;

  /** @param destroyConnections ends the connections to a server that has failed */
  constructor(
    readonly addresses: readonly [ServerAddress, ...ServerAddress[]],
    private readonly options: ConnectionOptions,
    private readonly destroyConnections: (isAffected: (connection: PoolConnection) => boolean) => void,
  ) {}

  /** The one that is used now: the first that works, or simply the first. */
  get current(): ServerAddress {
    return this.addresses.find((address) => !this.down.has(address)) ?? this.addresses[0];
  }

  /** The `stream` option of the pool: opens a connection to the current server. */
  readonly open = ({ config }: { config: object }): Socket => {
    const { host, port } = this.current;
    // The pool makes a copy of the configuration for each connection, which TLS takes the name of the server from.
    Object.assign(config, { host, port });
    this.serverByConfig.set(config, this.current);
    return connect({ host, port, noDelay: true, keepAlive: true });
  };

  /** Whether a connection goes to the current server. */
  isCurrent(connection: PoolConnection): boolean {
    return this.serverOf(connection) === this.current;
  }

  /** The server that a connection goes to; undefined before it has been opened. */
  serverOf(connection: PoolConnection): ServerAddress | undefined {
    return this.serverByConfig.get(connection.config);
  }

  /** Begins to watch the servers. */
  watch(): void {
    this.timer ??= setInterval(() => void this.probe(), PROBE_INTERVAL_MS).unref();
  }

  /** Ends what `watch` began. */
  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** Notes that a server has failed. @returns whether there is another one to try */
  fail(address: ServerAddress, reason: string): boolean {
    if (!this.down.has(address)) {
      this.down.add(address);
      const isLast = this.down.size === this.addresses.length;
      const next = isLast ? 'no other is left' : `${nameOf(this.current)} takes over`;
      this.logger.warn(`The database server ${nameOf(address)} has failed (${reason}): ${next}`);
      this.destroyConnections((connection) => this.serverOf(connection) === address);
    }
    return this.down.size < this.addresses.length;
  }

  /** Notes that the server of a connection has failed. */
  failOf(connection: PoolConnection, reason: string): void {
    const address = this.serverOf(connection);
    if (address) this.fail(address, reason);
  }

  /** Looks at the current server, and at those that would be preferred to it. */
  private async probe(): Promise<void> {
    if (this.isProbing) return;
    this.isProbing = true;
    try {
      const last = this.addresses.indexOf(this.current);
      const isAnyUp = this.down.size < this.addresses.length;
      const looked = isAnyUp ? this.addresses.slice(0, last + 1) : this.addresses;
      await Promise.all(looked.map((address) => this.look(address)));
    } finally {
      this.isProbing = false;
    }
  }

  /** Looks whether a server works, and notes it. One that has not answered in time once may be busy, and is not noted. */
  async look(address: ServerAddress): Promise<void> {
    const problem = await problemOf({ ...this.options, ...address });
    if (problem === LATE && !this.late.has(address)) {
      this.late.add(address);
      return;
    }
    this.late.delete(address);
    if (problem !== undefined) this.fail(address, problem);
    else if (this.down.delete(address)) this.logger.log(`The database server ${nameOf(address)} works again`);
  }
}

/** A server as `host:port`. */
export const nameOf = ({ host, port }: ServerAddress): string =>
  `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

/** Why a server cannot be used; undefined when it can. */
function problemOf(options: ConnectionOptions): Promise<string | undefined> {
  return new Promise((resolve) => {
    const connection = createConnection({ ...options, connectTimeout: PROBE_TIMEOUT_MS });
    const end = (problem?: string): void => {
      clearTimeout(timer);
      connection.destroy();
      resolve(problem);
    };
    const timer = setTimeout(() => end(LATE), PROBE_TIMEOUT_MS);
    connection.on('error', (error: Error) => end(error.message));
    connection.query("SHOW STATUS LIKE 'wsrep_local_state_comment'", (error, rows) => {
      const state = error ? undefined : (rows as { Value: string }[])[0]?.Value;
      if (error) end(error.message);
      else if (state === undefined || state === '' || state === SYNCED) end();
      else end(`its state is ${state}`);
    });
  });
}
