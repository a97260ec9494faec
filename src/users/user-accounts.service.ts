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

/** A user from the perspective of an operator of the service. */
export interface UserAccount extends UserDto {
  disabled: boolean;
}

/** Lists, disables and enables users' accounts, for operators of the service. */
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

  /** Returns all users who have not left, ordered by id; their number is limited. */
  async list(): Promise<UserAccount[]> {
    return (await this.userRows.findAccounts()).map(toUserAccount);
  }

  /**
   * Disables a user: their keys stop working, immediately in this process and within seconds in others. They stay listed, keep
   * their keys and memberships, and remain the author of their content.
   * @throws InvalidRequestError when no Administrator with a key would be left
   */
  disable(actor: Actor, id: number): Promise<void> {
    return this.transactions.run(async (manager) => {
      await this.administrators.keepOneWithoutUser(manager, id, 'userId');
      await this.setDisabled(manager, actor, id, true);
    });
  }

  /** Enables a user again: their remaining keys work as before. */
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
