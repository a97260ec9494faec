import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Actor } from '../audit-log/actor';
import { AuditLogService } from '../audit-log/audit-log.service';
import { TransactionsService } from '../database/transactions.service';
import { ApiKeysService } from './api-keys.service';
import { type AccountRow, UserRepository } from './data/user.repository';
import { type UserDto } from './dto/user.dto';
import { LastAdministratorService } from './last-administrator.service';
import { toUserDto } from './user.mapper';
import { UsersService } from './users.service';

/** A user as whoever operates the service sees them. */
export interface UserAccount extends UserDto {
  disabled: boolean;
}

/** The users' accounts, for whoever operates the service: who can use theirs, and who cannot any more. */
@Injectable()
export class UserAccountsService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly users: UsersService,
    private readonly userRows: UserRepository,
    private readonly apiKeys: ApiKeysService,
    private readonly administrators: LastAdministratorService,
    private readonly auditLog: AuditLogService,
  ) {}

  /** Everyone who has not left, ordered by id; a space has a limited number. */
  async list(): Promise<UserAccount[]> {
    return (await this.userRows.findAccounts()).map(toUserAccount);
  }

  /**
   * Disables a user: no key of theirs works any more, at once in this process and within seconds in others. They stay listed, keep
   * their keys and memberships, and remain the author of what they wrote.
   * @throws InvalidRequestError when no Administrator with a key would be left
   */
  disable(actor: Actor, id: number): Promise<void> {
    return this.transactions.run(async (manager) => {
      await this.administrators.keepOneWithoutUser(manager, id, 'userId');
      await this.setDisabled(manager, actor, id, true);
    });
  }

  /** Enables a user again: the keys that they have left work as before. */
  enable(actor: Actor, id: number): Promise<void> {
    return this.transactions.run((manager) => this.setDisabled(manager, actor, id, false));
  }

  private async setDisabled(
    manager: EntityManager,
    actor: Actor,
    id: number,
    disabled: boolean,
  ): Promise<void> {
    await this.users.lock(manager, id);
    await this.userRows.update(manager, id, { disabled });
    const { userId } = await this.users.get(id, manager);
    const action = disabled ? 'user.disable' : 'user.enable';
    await this.auditLog.record(manager, actor, { action, subject: { id, name: userId } });
    this.transactions.afterCommit(manager, () => this.apiKeys.forget(id));
  }
}

const toUserAccount = (row: AccountRow): UserAccount => ({
  ...toUserDto(row),
  disabled: Boolean(row.disabled),
});
