import { connect, isIP, type Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { createConnection, type ConnectionOptions, type PoolConnection } from 'mysql2';
import { type ServerAddress } from '../../config/server-url';

/** Interval between probes of the servers, in milliseconds. */
const PROBE_INTERVAL_MS = 1000;
/** Timeout of a probe, in milliseconds. */
const PROBE_TIMEOUT_MS = 2000;
/** State of a Galera node that accepts writes; other servers have no such status. */
const SYNCED = 'Synced';
const LATE = 'it does not answer';

/**
 * The servers of one database; the first that works is used. New connections go to that server. When it fails, all its connections are
 * destroyed; once a preferred server works again, connections are replaced as they are taken from the pool.
 */
export class Servers {
  private readonly logger = new Logger('Database');
  private readonly down = new Set<ServerAddress>();
  private readonly serverByConfig = new WeakMap<object, ServerAddress>();
  /** Servers that have missed one probe, which may merely be busy. */
  private readonly late = new Set<ServerAddress>();
  private timer?: NodeJS.Timeout;
  private isProbing = false;

  /** @param destroyConnections destroys the connections to a failed server */
  constructor(
    readonly addresses: readonly [ServerAddress, ...ServerAddress[]],
    private readonly options: ConnectionOptions,
    private readonly destroyConnections: (isAffected: (connection: PoolConnection) => boolean) => void,
  ) {}

  /** The current server: the first that works, or the first of all if none does. */
  get current(): ServerAddress {
    return this.addresses.find((address) => !this.down.has(address)) ?? this.addresses[0];
  }

  /** The `stream` option of the pool: opens a connection to the current server. */
  readonly open = ({ config }: { config: object }): Socket => {
    const { host, port } = this.current;
    // The pool copies the configuration for each connection; TLS takes the server's name from the copy.
    Object.assign(config, { host, port });
    this.serverByConfig.set(config, this.current);
    return connect({ host, port, noDelay: true, keepAlive: true });
  };

  /** Whether a connection goes to the current server. */
  isCurrent(connection: PoolConnection): boolean {
    return this.serverOf(connection) === this.current;
  }

  /** Returns the server of a connection; undefined before it has been opened. */
  serverOf(connection: PoolConnection): ServerAddress | undefined {
    return this.serverByConfig.get(connection.config);
  }

  /** Starts to probe the servers periodically. */
  watch(): void {
    this.timer ??= setInterval(() => void this.probe(), PROBE_INTERVAL_MS).unref();
  }

  /** Stops the probes. */
  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** Marks a server as failed. @returns whether there is another one to try */
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

  /** Marks the server of a connection as failed. */
  failOf(connection: PoolConnection, reason: string): void {
    const address = this.serverOf(connection);
    if (address) this.fail(address, reason);
  }

  /** Probes the current server and those preferred to it, or all servers if none works. */
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

  /** Probes a server and records the result. The first missed probe is not recorded, because the server may merely be busy. */
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

/** Formats a server as `host:port`. */
export const nameOf = ({ host, port }: ServerAddress): string =>
  `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

/** Returns why a server cannot be used; undefined if it can. */
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
