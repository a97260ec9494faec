import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { SessionAuthenticator } from '../access/authenticator';
import { type AuditedCaller, type Caller } from '../access/caller';
import { AuditLogService } from '../audit-log/audit-log.service';
import { TransactionsService } from '../database/transactions/transactions.service';
import { NoResourceError } from '../errors/domain-errors';
import { addressGroup } from '../http/request/client-address';
import { toTimestamp } from '../http/request/timestamp';
import { KnownCallersService, type KnownCredential } from '../users/known-callers.service';
import { RevocationsService } from '../users/revocations.service';
import { UsageService } from '../users/usage.service';
import { UsersService } from '../users/users.service';
import { SessionRepository, type SessionRow } from './data/session.repository';
import { type SessionDto } from './dto/session.dto';
import { generateToken, hashToken } from '../users/token';

const DAY_MS = 24 * 60 * 60 * 1000;
/** How long a session lasts without being used, and how long at most, in milliseconds. */
export const SESSION_IDLE_MS = 14 * DAY_MS;
export const SESSION_TOTAL_MS = 90 * DAY_MS;
/** Maximum number of sessions of a user; a further one ends the one that was not used for the longest time. */
const MAX_SESSIONS = 50;
const MAX_USER_AGENT = 255;

interface KnownSession extends KnownCredential {
  expires: number;
}

/** The browser in which a user signs in. */
export interface Browser {
  address: string;
  userAgent: string;
  /** The token of the session that the browser has until then, which the new one replaces. */
  formerToken?: string;
}

/** Starts, authenticates and ends sessions (`docs/decisions/0061-sign-in.md#sessions`). */
@Injectable()
export class SessionsService implements SessionAuthenticator {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly sessions: SessionRepository,
    private readonly users: UsersService,
    private readonly known: KnownCallersService,
    private readonly usage: UsageService,
    private readonly auditLog: AuditLogService,
    revocations: RevocationsService,
  ) {
    revocations.onRevocation(async (manager, userId, keptSessionId) => {
      await this.sessions.deleteOfUser(manager, userId, keptSessionId);
      this.transactions.afterCommit(manager, () => this.known.forget(userId));
    });
  }

  /** Returns the user of a session, or undefined. Counts as a use of the account, and extends the session. */
  async authenticate(token: string, _userId?: string, isAnew = false): Promise<Caller | undefined> {
    const key = cacheKeyOf(token);
    const found =
      (isAnew ? undefined : (this.known.get(key) as KnownSession | undefined)) ??
      (await this.known.load(key, () => this.findKnown(token)));
    const now = Date.now();
    if (!found || found.expires <= now) return undefined;
    const { caller } = found;
    await this.usage.note(key, caller.id, (noted, before) =>
      this.sessions.touch(caller.session?.id ?? 0, {
        now: noted,
        before,
        idle: SESSION_IDLE_MS,
        total: SESSION_TOTAL_MS,
      }),
    );
    return caller;
  }

  /** Whether a database query is needed to distinguish the token from a guess. */
  isUnproven(token: string): boolean {
    return !this.known.isProven(cacheKeyOf(token));
  }

  /**
   * Starts a session of a user whom the transaction has locked, in place of the one that the browser has, and returns the new token.
   * @param secondFactor whether the user has proved their second factor
   * @param authenticated when the user proved who they are, if that was not now
   */
  async start(
    manager: EntityManager,
    userId: number,
    { address, userAgent, formerToken }: Browser,
    secondFactor = false,
    authenticated?: number,
  ): Promise<string> {
    const now = Date.now();
    if (formerToken !== undefined) await this.endFormer(manager, formerToken);
    const others = await this.sessions.findOfUser(userId, now, manager);
    await this.sessions.delete(
      manager,
      others.slice(MAX_SESSIONS - 1).map(({ id }) => id),
    );
    const token = generateToken();
    const id = await this.sessions.insert(manager, {
      userId,
      tokenHash: hashToken(token),
      created: now,
      lastSeen: now,
      expires: now + SESSION_IDLE_MS,
      authenticated: authenticated ?? now,
      secondFactor: secondFactor ? now : null,
      address,
      userAgent: userAgent.slice(0, MAX_USER_AGENT),
    });
    await this.auditLog.record(
      manager,
      { id: userId, address },
      { action: 'session.add', subject: { id, name: await this.nameOf(userId, manager) } },
    );
    this.transactions.afterCommit(manager, () => this.known.forget(userId));
    return token;
  }

  /** Records that the user of a session has proved their second factor. */
  noteSecondFactor(manager: EntityManager, id: number, time: number): Promise<void> {
    return this.sessions.setSecondFactor(manager, id, time);
  }

  /** Whether a user has a session from the group of an address: an IPv6 client changes its address within its network. */
  async isKnownAddress(userId: number, address: string): Promise<boolean> {
    const group = addressGroup(address);
    const addresses = await this.sessions.findAddresses(userId, Date.now());
    return addresses.some((known) => addressGroup(known) === group);
  }

  /** Returns the sessions of a user, the last used first. */
  async list(userId: number, viewer: Caller): Promise<SessionDto[]> {
    const rows = await this.sessions.findOfUser(userId, Date.now());
    return rows.map((row) => toSessionDto(row, viewer));
  }

  /**
   * Ends a session of a user: immediately in this process, within seconds in others.
   * @throws NoResourceError
   */
  end(caller: AuditedCaller, userId: number, id: number): Promise<SessionDto> {
    return this.transactions.run(async (manager) => {
      await this.users.lock(manager, userId);
      const row = await this.sessions.find(id, userId, manager);
      if (!row) throw new NoResourceError('session');
      await this.sessions.delete(manager, [id]);
      const subject = { id, name: await this.nameOf(userId, manager) };
      await this.auditLog.record(manager, caller, { action: 'session.delete', subject });
      this.transactions.afterCommit(manager, () => this.known.forget(userId));
      return toSessionDto(row, caller);
    });
  }

  /** Ends all sessions of a user except for the caller's own, and returns them. */
  endOthers(caller: AuditedCaller, userId: number): Promise<SessionDto[]> {
    return this.transactions.run(async (manager) => {
      await this.users.lock(manager, userId);
      const rows = await this.sessions.findOfUser(userId, Date.now(), manager);
      const ended = rows.filter(({ id }) => id !== caller.session?.id);
      if (ended.length === 0) return [];
      await this.sessions.deleteOfUser(manager, userId, caller.session?.id);
      const subject = { id: userId, name: await this.nameOf(userId, manager) };
      await this.auditLog.record(manager, caller, { action: 'session.deleteAll', subject });
      this.transactions.afterCommit(manager, () => this.known.forget(userId));
      return ended.map((row) => toSessionDto(row, caller));
    });
  }

  /** Removes sessions that have expired, and returns their number. */
  removeExpired(limit: number): Promise<number> {
    return this.transactions.run((manager) => this.sessions.deleteExpired(manager, Date.now(), limit));
  }

  /** Ends the session of a browser in which somebody, perhaps another user, signs in again. */
  private async endFormer(manager: EntityManager, token: string): Promise<void> {
    const former = await this.sessions.findByHash(hashToken(token), manager);
    if (!former) return;
    await this.sessions.delete(manager, [former.id]);
    this.transactions.afterCommit(manager, () => this.known.forget(former.userId));
  }

  private async findKnown(token: string): Promise<KnownSession | undefined> {
    const hash = hashToken(token);
    const row = await this.sessions.findByHash(hash);
    if (!row || !timingSafeEqual(Buffer.from(row.tokenHash), Buffer.from(hash))) return undefined;
    const { id, userId, authenticated, expires } = row;
    const roleType = await this.users.findEnabledRole(userId);
    if (roleType === undefined) return undefined;
    return { caller: { id: userId, roleType, session: { id, authenticated } }, expires };
  }

  private async nameOf(userId: number, manager: EntityManager): Promise<string> {
    return (await this.users.get(userId, manager)).userId;
  }
}

/** A key of the API has no space, so that it is never found as a session. */
const cacheKeyOf = (token: string): string => `session ${hashToken(token)}`;

const toSessionDto = ({ id, address, userAgent, ...row }: SessionRow, { session }: Caller): SessionDto => ({
  id,
  created: toTimestamp(row.created),
  lastSeen: toTimestamp(row.lastSeen),
  expires: toTimestamp(row.expires),
  secondFactor: row.secondFactor === null ? null : toTimestamp(row.secondFactor),
  address,
  userAgent,
  current: session?.id === id,
});
