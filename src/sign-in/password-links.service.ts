import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Actor } from '../audit-log/actor';
import { auditChanges } from '../audit-log/audit-changes';
import { AuditLogService } from '../audit-log/audit-log.service';
import { Environment } from '../config/environment';
import { TransactionsService } from '../database/transactions/transactions.service';
import { NoResourceError } from '../errors/domain-errors';
import { toTimestamp } from '../http/request/timestamp';
import { generateToken, hashToken } from '../users/token';
import { type PasswordOwner, PasswordsService } from '../users/passwords/passwords.service';
import { RevocationsService } from '../users/revocations.service';
import { UserAdministrationService } from '../users/user-administration.service';
import { UsersService } from '../users/users.service';
import { LoginChallengeRepository } from './data/login-challenge.repository';
import { PasswordLinkRepository } from './data/password-link.repository';
import { type PasswordLinkDto } from './dto/password-link.dto';
import { PasswordsOffError } from './sign-in-errors';

/** How long a link works, in milliseconds; one that strangers can have sent to the user, for less. */
const LIFETIME_MS = 24 * 60 * 60_000;
const FORGOTTEN_LIFETIME_MS = 60 * 60_000;

/** Options of a link. */
export interface LinkOptions {
  /** Whether it signs in without the user's second factor, if they have one. */
  withoutSecondFactor?: boolean;
  /** Whether the operator has made it, so that it signs in even where passwords are switched off. */
  byOperator?: boolean;
}

/** The user of a link. */
export type LinkOwner = PasswordOwner & Required<LinkOptions>;

/** Makes links with which users set a password: the first one, or one in place of a forgotten one. */
@Injectable()
export class PasswordLinksService {
  constructor(
    private readonly environment: Environment,
    private readonly transactions: TransactionsService,
    private readonly links: PasswordLinkRepository,
    private readonly challenges: LoginChallengeRepository,
    private readonly users: UsersService,
    private readonly passwords: PasswordsService,
    private readonly auditLog: AuditLogService,
    revocations: RevocationsService,
    administration: UserAdministrationService,
  ) {
    revocations.onRevocation((manager, userId) => this.links.deleteOfUser(manager, userId));
    // Whoever reads the former address may have such a link.
    administration.onMoving((manager, userId) =>
      this.links.deleteForgotten(manager, userId, FORGOTTEN_LIFETIME_MS),
    );
  }

  /**
   * Makes a link for a user, in place of their former one.
   * @param actor without a user for the operator
   * @throws NoResourceError for a user who has left; PasswordsOffError unless the operator makes it, if passwords are switched off
   */
  async add(
    actor: Actor,
    userId: number,
    options: Pick<LinkOptions, 'withoutSecondFactor'> = {},
  ): Promise<PasswordLinkDto> {
    const byOperator = actor.id === null;
    if (!byOperator && !this.environment.PASSWORD_SIGN_IN) throw new PasswordsOffError();
    return this.transactions.run(async (manager) => {
      await this.users.lock(manager, userId);
      await this.users.requireAdministratorOrSelf(manager, actor, userId);
      const subject = { id: userId, name: (await this.users.get(userId, manager)).userId };
      const changes = options.withoutSecondFactor
        ? auditChanges({}, { withoutSecondFactor: true }, ['withoutSecondFactor'])
        : [];
      await this.auditLog.record(manager, actor, { action: 'passwordLink.add', subject, changes });
      const { path, expires } = await this.make(manager, userId, { ...options, byOperator });
      return { url: this.environment.webUrl(path), expires: toTimestamp(expires) };
    });
  }

  /** Makes a link in the transaction that adds or locks the user, and returns its path on this service. */
  async make(
    manager: EntityManager,
    userId: number,
    { withoutSecondFactor = false, byOperator = false }: LinkOptions = {},
  ): Promise<{ path: string; expires: number }> {
    const link = await this.replace(manager, userId, {
      withoutSecondFactor,
      byOperator,
      lifetime: LIFETIME_MS,
    });
    // The password of a former link may wait for a code.
    await this.challenges.deleteOfUser(manager, userId);
    return link;
  }

  /**
   * Makes a link for a user who has forgotten their password. Whoever knows their name can ask for it: it ends neither a sign-in that waits for a
   * code nor a link that the operator, an Administrator or the first start has made.
   * @returns undefined in the latter case, and for a user who has left
   */
  makeForgotten(userId: number): Promise<{ url: string; expires: number } | undefined> {
    return this.transactions.run(async (manager) => {
      await this.users.lockEvenIfLeft(manager, userId);
      const owner = await this.passwords.findOwnerById(userId, manager);
      if (
        !owner ||
        (await this.links.hasOtherThanForgotten(manager, userId, Date.now(), FORGOTTEN_LIFETIME_MS))
      )
        return undefined;
      const { path, expires } = await this.replace(manager, userId, { lifetime: FORGOTTEN_LIFETIME_MS });
      const subject = { id: userId, name: owner.userId };
      await this.auditLog.record(
        manager,
        { id: userId, address: null },
        { action: 'passwordLink.add', subject },
      );
      return { url: this.environment.webUrl(path), expires };
    });
  }

  private async replace(
    manager: EntityManager,
    userId: number,
    { withoutSecondFactor = false, byOperator = false, lifetime }: LinkOptions & { lifetime: number },
  ): Promise<{ path: string; expires: number }> {
    const token = generateToken();
    const created = Date.now();
    const expires = created + lifetime;
    const tokenHash = hashToken(token);
    const row = { userId, tokenHash, created, withoutSecondFactor, byOperator, expires };
    await this.links.replace(manager, row);
    return { path: `/password/${token}`, expires };
  }

  /**
   * Returns the user of a link.
   * @throws NoResourceError unless it works, and its user may sign in
   */
  async find(token: string, manager?: EntityManager): Promise<LinkOwner> {
    const link = await this.links.find(hashToken(token), Date.now(), manager);
    const owner = link && (await this.passwords.findOwnerById(link.userId, manager));
    if (!owner) throw new NoResourceError('link');
    return { ...owner, withoutSecondFactor: link.withoutSecondFactor, byOperator: link.byOperator };
  }

  /** Uses up the link of a user whom the transaction has locked. */
  use(manager: EntityManager, userId: number): Promise<void> {
    return this.links.deleteOfUser(manager, userId);
  }

  /** Removes links that have expired. */
  removeExpired(): Promise<void> {
    return this.transactions.run((manager) => this.links.deleteExpired(manager, Date.now()));
  }
}
