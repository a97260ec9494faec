import { connect, isIP, type Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { type ConnectionOptions, type PoolConnection } from 'mysql2';
import { type ServerAddress } from '../../config/server-url';
import { findServer, type ServerFinding } from './server-finding';

/** Interval between checks of the servers, in milliseconds. */
const CHECK_INTERVAL_MS = 1000;

/** Why a server is not used. */
interface Problem {
  kind: 'failed' | 'read-only';
  /** Why it has failed. */
  reason?: string;
}

/** What is known of a server. One that has not been checked counts as usable. */
interface ServerState {
  problem?: Problem;
  /** Whether it has missed its last check, and may merely be busy. */
  isLate: boolean;
  /** The id of the cluster of which it is a node. */
  cluster?: string;
  /** Changes when the connections that are open must be replaced. */
  generation: number;
  isBeingChecked: boolean;
  /** Whether another check must follow the one in progress. */
  isDue: boolean;
}

/** Where a connection leads. */
interface Origin {
  address: ServerAddress;
  generation: number;
}

/**
 * The servers of one database, of which one that accepts writes is used (`docs/decisions/0055-writable-servers.md`). When it fails, all its
 * connections are destroyed and the first other one takes over; when it becomes read-only, connections are replaced as they are taken from
 * the pool. A process returns to a preferred server only within one cluster: elsewhere, a former primary may have missed writes. While no
 * server accepts writes, the last one that did serves reads.
 */
export class Servers {
  private readonly logger = new Logger('Database');
  private readonly states: ReadonlyMap<ServerAddress, ServerState>;
  private readonly originByConfig = new WeakMap<object, Origin>();
  private used: ServerAddress;
  private timer?: NodeJS.Timeout;

  /**
   * @param canBeReadOnly whether a server that accepts no writes is as good as another
   * @param destroyConnections destroys the connections to a failed server
   */
  constructor(
    readonly addresses: readonly [ServerAddress, ...ServerAddress[]],
    private readonly options: ConnectionOptions,
    private readonly canBeReadOnly: boolean,
    private readonly destroyConnections: (isAffected: (connection: PoolConnection) => boolean) => void,
  ) {
    this.used = addresses[0];
    this.states = new Map(
      addresses.map((address) => [
        address,
        { isLate: false, generation: 0, isBeingChecked: false, isDue: false },
      ]),
    );
  }

  /** The server in use. */
  get current(): ServerAddress {
    return this.used;
  }

  /** Whether `DATABASE_URL` names several servers. */
  get areSeveral(): boolean {
    return this.addresses.length > 1;
  }

  /** Whether the server in use accepts writes, as far as is known. */
  get isWritable(): boolean {
    return this.stateOf(this.used).problem === undefined;
  }

  /** Whether the server in use serves only reads. */
  get isReadOnly(): boolean {
    return this.stateOf(this.used).problem?.kind === 'read-only';
  }

  /** Why no server accepts writes, for the operator; undefined if that is not because one is read-only. */
  get readOnlyReason(): string | undefined {
    const problems = this.addresses.map((address) => ({ address, ...this.stateOf(address).problem }));
    if (!problems.some(({ kind }) => kind === 'read-only')) return undefined;
    return problems
      .map(
        ({ address, kind, reason }) =>
          `${nameOf(address)} ${kind === 'failed' ? `has failed (${reason})` : 'is read-only'}`,
      )
      .join(', ');
  }

  /** The `stream` option of the pool: opens a connection to the current server. */
  readonly open = ({ config }: { config: object }): Socket => {
    const { host, port } = this.used;
    // The pool copies the configuration for each connection; TLS takes the server's name from the copy.
    Object.assign(config, { host, port });
    const { generation } = this.stateOf(this.used);
    this.originByConfig.set(config, { address: this.used, generation });
    return connect({ host, port, noDelay: true, keepAlive: true });
  };

  /** Whether a connection goes to the current server, and need not be replaced. */
  isCurrent(connection: PoolConnection): boolean {
    const origin = this.originByConfig.get(connection.config);
    return origin?.address === this.used && origin.generation === this.stateOf(this.used).generation;
  }

  /** Returns the server of a connection; undefined before it has been opened. */
  serverOf(connection: PoolConnection): ServerAddress | undefined {
    return this.originByConfig.get(connection.config)?.address;
  }

  /** Starts to check the servers periodically. */
  watch(): void {
    if (this.timer) return;
    this.timer = setInterval(() => this.checkAll(false), CHECK_INTERVAL_MS).unref();
    this.checkAll(false);
  }

  /** Stops the checks. */
  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** Marks a server as failed; the only one remains in use. @returns whether another one is in use */
  fail(address: ServerAddress, reason: string): boolean {
    this.note(address, { kind: 'failed', reason });
    return this.used !== address;
  }

  /** Marks the server of a connection as failed. */
  failOf(connection: PoolConnection, reason: string): void {
    const address = this.serverOf(connection);
    if (address) this.fail(address, reason);
  }

  /**
   * Replaces the connections to a server that has refused a write as read-only, and checks all servers immediately. The server's name may
   * now resolve to another server, which only new connections reach.
   */
  recheckReadOnlyServer(connection: PoolConnection): void {
    const origin = this.originByConfig.get(connection.config);
    if (!origin) return;
    const state = this.stateOf(origin.address);
    if (state.problem || state.generation !== origin.generation) return;
    state.generation++;
    this.checkAll(true);
  }

  /** Checks a server and records the result. */
  async checkServer(address: ServerAddress): Promise<void> {
    this.record(address, await this.find(address));
  }

  private stateOf(address: ServerAddress): ServerState {
    return this.states.get(address) as ServerState;
  }

  /** @param isUrgent whether the result of a check in progress may come too early */
  private checkAll(isUrgent: boolean): void {
    for (const address of this.addresses) void this.checkInTurn(address, isUrgent);
  }

  /** Runs one check of a server at a time, so that a server that hangs delays the check of no other. */
  private async checkInTurn(address: ServerAddress, isUrgent: boolean): Promise<void> {
    const state = this.stateOf(address);
    if (state.isBeingChecked) {
      state.isDue ||= isUrgent;
      return;
    }
    state.isBeingChecked = true;
    const finding = await this.find(address);
    state.isBeingChecked = false;
    if (!this.timer) return;
    this.record(address, finding);
    if (!state.isDue) return;
    state.isDue = false;
    await this.checkInTurn(address, false);
  }

  /** A server that recovers must first have the commits of the others, so that the process need not wait for it. */
  private find(address: ServerAddress): Promise<ServerFinding> {
    return findServer({ ...this.options, ...address }, this.stateOf(address).problem !== undefined);
  }

  private record(address: ServerAddress, finding: ServerFinding): void {
    const state = this.stateOf(address);
    const isFirstMiss = finding.state === 'late' && !state.isLate;
    state.isLate = finding.state === 'late';
    if (isFirstMiss) return;
    if (finding.state === 'late') {
      this.note(address, { kind: 'failed', reason: 'it does not answer' });
    } else if (finding.state === 'failed') {
      this.note(address, { kind: 'failed', reason: finding.reason });
    } else {
      state.cluster = finding.cluster;
      const isRefused = finding.state === 'read-only' && !this.canBeReadOnly;
      this.note(address, isRefused ? { kind: 'read-only' } : undefined);
    }
  }

  private note(address: ServerAddress, problem: Problem | undefined): void {
    // Nothing can take over from the only server: its statements fail or time out anyway.
    if (problem?.kind === 'failed' && !this.areSeveral) return;
    const state = this.stateOf(address);
    const before = state.problem;
    const left = this.used;
    state.problem = problem;
    this.choose();
    if (before?.kind === problem?.kind) {
      if (this.used !== left) this.logger.log(`The database server ${nameOf(this.used)} takes over`);
      return;
    }
    state.generation++;
    this.report(address, { before, left });
    if (problem?.kind === 'failed')
      this.destroyConnections((connection) => this.serverOf(connection) === address);
  }

  /** Chooses the server to use. If none accepts writes, the last one that did remains, because only it certainly has its acknowledged writes. */
  private choose(): void {
    const isUsable = (address: ServerAddress): boolean => this.stateOf(address).problem === undefined;
    const first = this.addresses.find(isUsable);
    if (first && (!isUsable(this.used) || this.isSameCluster(first, this.used))) this.used = first;
  }

  private isSameCluster(one: ServerAddress, other: ServerAddress): boolean {
    const { cluster } = this.stateOf(one);
    return cluster !== undefined && cluster === this.stateOf(other).cluster;
  }

  private report(
    address: ServerAddress,
    { before, left }: { before: Problem | undefined; left: ServerAddress },
  ): void {
    const { problem } = this.stateOf(address);
    const name = `The database server ${nameOf(address)}`;
    const next = this.used === left ? 'no other accepts writes' : `${nameOf(this.used)} takes over`;
    const ending = address === left && problem ? `: ${next}` : '';
    if (problem?.kind === 'failed') {
      this.logger.warn(`${name} has failed (${problem.reason})${ending}`);
    } else if (problem && address === left) {
      this.logger.warn(`${name} is read-only${ending}`);
    } else if (problem) {
      this.logger.log(`${name} is read-only`);
    } else {
      const isBack = before?.kind === 'failed' ? 'works again' : 'accepts writes';
      this.logger.log(`${name} ${isBack}${this.used === left ? '' : ': it takes over'}`);
    }
  }
}

/** Formats a server as `host:port`. */
export const nameOf = ({ host, port }: ServerAddress): string =>
  `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
