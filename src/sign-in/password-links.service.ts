import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Actor } from '../audit-log/actor';
import { AuditLogService } from '../audit-log/audit-log.service';
import { Environment } from '../config/environment';
import { TransactionsService } from '../database/transactions/transactions.service';
import { NoResourceError } from '../errors/domain-errors';
import { toTimestamp } from '../http/request/timestamp';
import { generateToken, hashToken } from '../users/token';
import { type PasswordOwner, PasswordsService } from '../users/passwords/passwords.service';
import { RevocationsService } from '../users/revocations.service';
import { UsersService } from '../users/users.service';
import { PasswordLinkRepository } from './data/password-link.repository';
import { type PasswordLinkDto } from './dto/password-link.dto';

/** How long a link works, in milliseconds. */
const LIFETIME_MS = 24 * 60 * 60_000;

/** Makes links with which users set a password: the first one, or one in place of a forgotten one. */
@Injectable()
export class PasswordLinksService implements OnModuleInit {
  constructor(
    private readonly environment: Environment,
    private readonly transactions: TransactionsService,
    private readonly links: PasswordLinkRepository,
    private readonly users: UsersService,
    private readonly passwords: PasswordsService,
    private readonly revocations: RevocationsService,
    private readonly auditLog: AuditLogService,
  ) {}

  onModuleInit(): void {
    this.revocations.onRevocation((manager, userId) => this.links.deleteOfUser(manager, userId));
  }

  /**
   * Makes a link for a user, in place of their former one.
   * @throws NoResourceError for a user who has left
   */
  add(actor: Actor, userId: number): Promise<PasswordLinkDto> {
    return this.transactions.run(async (manager) => {
      await this.users.lock(manager, userId);
      const subject = { id: userId, name: (await this.users.get(userId, manager)).userId };
      await this.auditLog.record(manager, actor, { action: 'passwordLink.add', subject });
      const { path, expires } = await this.make(manager, userId);
      return { url: this.environment.webUrl(path), expires: toTimestamp(expires) };
    });
  }

  /** Makes a link in the transaction that adds or locks the user, and returns its path on this service. */
  async make(manager: EntityManager, userId: number): Promise<{ path: string; expires: number }> {
    const token = generateToken();
    const created = Date.now();
    const expires = created + LIFETIME_MS;
    await this.links.replace(manager, { userId, tokenHash: hashToken(token), created, expires });
    return { path: `/password/${token}`, expires };
  }

  /**
   * Returns the user of a link.
   * @throws NoResourceError unless it works, and its user may sign in
   */
  async find(token: string): Promise<PasswordOwner> {
    const id = await this.links.findUserId(hashToken(token), Date.now());
    const owner = id === undefined ? undefined : await this.passwords.findOwnerById(id);
    if (!owner) throw new NoResourceError('link');
    return owner;
  }

  /** Uses up a link. @throws NoResourceError if it has been used before */
  async use(manager: EntityManager, token: string): Promise<void> {
    if (!(await this.links.delete(manager, hashToken(token)))) throw new NoResourceError('link');
  }

  /** Removes links that have expired. */
  removeExpired(): Promise<void> {
    return this.transactions.run((manager) => this.links.deleteExpired(manager, Date.now()));
  }
}
