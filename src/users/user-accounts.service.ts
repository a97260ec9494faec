import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Actor } from '../audit-log/actor';
import { AuditLogService } from '../audit-log/audit-log.service';
import { TransactionsService } from '../database/transactions/transactions.service';
import { NoResourceError } from '../errors/domain-errors';
import { toTimestamp } from '../http/request/timestamp';
import { type AccountRow, UserRepository } from './data/user.repository';
import { type UserDto } from './dto/user.dto';
import { KnownCallersService } from './known-callers.service';
import { LastAdministratorService } from './last-administrator.service';
import { RevocationsService } from './revocations.service';
import { toUserDto } from './user.mapper';
import { UsersService } from './users.service';

/** A user from the perspective of an operator of the service. */
export interface UserAccount extends UserDto {
  disabled: boolean;
  /** When the user last sent a request; null if never. `lastLoginTime` begins with the creation. */
  lastUsed: string | null;
}

/** Reads, disables and enables users' accounts, for Administrators and operators of the service. */
@Injectable()
export class UserAccountsService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly users: UsersService,
    private readonly userRows: UserRepository,
    private readonly known: KnownCallersService,
    private readonly revocations: RevocationsService,
    private readonly administrators: LastAdministratorService,
    private readonly auditLog: AuditLogService,
  ) {}

  /** Returns all users who have not left, ordered by id; their number is limited. */
  async list(): Promise<UserAccount[]> {
    return (await this.userRows.findAccounts()).map(toUserAccount);
  }

  /**
   * Returns a user who has not left.
   * @throws NoResourceError
   */
  async get(id: number): Promise<UserAccount> {
    const row = await this.userRows.findAccount(id);
    if (!row) throw new NoResourceError('user');
    return toUserAccount(row);
  }

  /**
   * Disables a user: their sessions end and their keys stop working, immediately in this process and within seconds in others. They stay listed, keep
   * their keys and memberships, and remain the author of their content.
   * @throws InvalidRequestError when no Administrator with a key would be left
   */
  disable(actor: Actor, id: number): Promise<void> {
    return this.transactions.run(async (manager) => {
      await this.administrators.requireOtherAdmin(manager, id, 'userId');
      await this.users.lock(manager, id);
      await this.setEnabled(manager, actor, id, false);
    });
  }

  /** Enables a user again: their remaining keys work as before. */
  enable(actor: Actor, id: number): Promise<void> {
    return this.transactions.run(async (manager) => {
      await this.users.lock(manager, id);
      await this.setEnabled(manager, actor, id, true);
    });
  }

  /** Enables or disables a user whom the transaction has locked; does nothing and records nothing if they are so already. */
  async setEnabled(manager: EntityManager, actor: Actor, id: number, enabled: boolean): Promise<void> {
    if ((await this.userRows.isDisabled(id, manager)) === !enabled) return;
    await this.userRows.update(manager, id, { disabled: !enabled });
    if (!enabled) await this.revocations.revoke(manager, id);
    const { userId } = await this.users.get(id, manager);
    const action = enabled ? 'user.enable' : 'user.disable';
    await this.auditLog.record(manager, actor, { action, subject: { id, name: userId } });
    this.transactions.afterCommit(manager, () => this.known.forget(id));
  }
}

function toUserAccount(row: AccountRow): UserAccount {
  // A new user's `lastLoginTime` is that of the creation; a use in the minute after it is recorded only for the key.
  const loggedIn = row.lastLoginTime > Number(row.created) ? row.lastLoginTime : 0;
  const lastUsed = Math.max(loggedIn, Number(row.keysLastUsed ?? 0));
  return {
    ...toUserDto(row),
    disabled: Boolean(row.disabled),
    lastUsed: lastUsed === 0 ? null : toTimestamp(lastUsed),
  };
}
