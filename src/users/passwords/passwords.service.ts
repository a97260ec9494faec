import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Actor } from '../../audit-log/actor';
import { secretChange } from '../../audit-log/audit-changes';
import { AuditLogService } from '../../audit-log/audit-log.service';
import { UserRepository } from '../data/user.repository';
import { RevocationsService } from '../revocations.service';
import { UsersService } from '../users.service';
import { PasswordHasherService } from './password-hasher.service';

/** A user with a password. */
export interface PasswordOwner {
  id: number;
  userId: string;
  /** The result of `hashPassword`; null if no password has been set. */
  passwordHash: string | null;
}

/** Verifies and sets passwords, for users who sign in. */
@Injectable()
export class PasswordsService {
  constructor(
    private readonly users: UserRepository,
    private readonly accounts: UsersService,
    private readonly hasher: PasswordHasherService,
    private readonly revocations: RevocationsService,
    private readonly auditLog: AuditLogService,
  ) {}

  /** Returns the user with a `userId`, unless they have left or are disabled. */
  findOwner(userId: string): Promise<PasswordOwner | undefined> {
    return this.users.findPasswordOwner('user_id', userId);
  }

  /** Returns the user with an id, unless they have left or are disabled. */
  findOwnerById(id: number, manager?: EntityManager): Promise<PasswordOwner | undefined> {
    return this.users.findPasswordOwner('id', id, manager);
  }

  /**
   * Whether a password is the user's. Takes as long if there is no user or no password.
   * @param gone removes a check that has not started from the queue
   * @throws ServiceUnavailableError when too many passwords are waiting to be checked
   */
  verify(owner: PasswordOwner | undefined, password: string, gone?: AbortSignal): Promise<boolean> {
    return this.hasher.verify(password, owner?.passwordHash ?? null, gone);
  }

  /** Hashes a password for storage. @throws ServiceUnavailableError when too many hashes are waiting */
  hash(password: string, gone?: AbortSignal): Promise<string> {
    return this.hasher.hash(password, gone);
  }

  /**
   * Sets the password of a user whom the transaction has locked, and ends their sessions.
   * @param passwordHash null to remove it
   */
  async set(manager: EntityManager, actor: Actor, id: number, passwordHash: string | null): Promise<void> {
    await this.users.update(manager, id, { passwordHash });
    await this.revocations.revoke(manager, id);
    const { userId } = await this.accounts.get(id, manager);
    const changes = [secretChange('password')];
    await this.auditLog.record(manager, actor, {
      action: 'user.update',
      subject: { id, name: userId },
      changes,
    });
  }

  /**
   * Returns a new hash of a password whose stored hash costs less than new ones; otherwise undefined.
   * @throws ServiceUnavailableError when too many hashes are waiting
   */
  async renewedHash(
    { passwordHash }: PasswordOwner,
    password: string,
    gone?: AbortSignal,
  ): Promise<string | undefined> {
    if (passwordHash === null || !this.hasher.isOutdated(passwordHash)) return undefined;
    return this.hasher.hash(password, gone);
  }

  /** Replaces the hash of the same password. */
  replaceHash(manager: EntityManager, id: number, passwordHash: string): Promise<void> {
    return this.users.update(manager, id, { passwordHash });
  }
}
