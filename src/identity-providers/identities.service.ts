import { Injectable } from '@nestjs/common';
import { type AuditedCaller } from '../access/caller';
import { AuditLogService } from '../audit-log/audit-log.service';
import { Environment } from '../config/environment';
import { TransactionsService } from '../database/transactions/transactions.service';
import { InvalidRequestError, NoResourceError } from '../errors/domain-errors';
import { PasswordsService } from '../users/passwords/passwords.service';
import { RevocationsService } from '../users/revocations.service';
import { UserAdministrationService } from '../users/user-administration.service';
import { UsersService } from '../users/users.service';
import { IdentityProviderRepository } from './data/identity-provider.repository';
import { IdentityRepository } from './data/identity.repository';
import { type IdentityDto } from './dto/identity.dto';
import { toIdentityDto } from './provider.mapper';

/** The last way in of a user cannot be disconnected. */
export class LastWayInError extends InvalidRequestError {
  constructor() {
    super([
      {
        message: 'You need this to sign in: set a password, or connect another identity provider, first.',
        moreInfo: 'identityId',
      },
    ]);
  }
}

/** Lists and disconnects what users are at identity providers. */
@Injectable()
export class IdentitiesService {
  constructor(
    private readonly environment: Environment,
    private readonly transactions: TransactionsService,
    private readonly users: UsersService,
    private readonly passwords: PasswordsService,
    private readonly revocations: RevocationsService,
    private readonly auditLog: AuditLogService,
    private readonly identities: IdentityRepository,
    private readonly providers: IdentityProviderRepository,
    administration: UserAdministrationService,
  ) {
    administration.onLeaving((manager, userId) => this.identities.deleteOfUser(manager, userId));
  }

  /** Returns the identities of a user, oldest first. */
  async list(userId: number): Promise<IdentityDto[]> {
    const identities = await this.identities.findOfUser(userId);
    const providers = new Map((await this.providers.findAll()).map((row) => [row.id, row]));
    return identities.flatMap((row) => {
      const provider = providers.get(row.providerId);
      return provider ? [toIdentityDto(row, provider)] : [];
    });
  }

  /**
   * Disconnects an identity, and ends the user's sessions except for the caller's own.
   * @throws NoResourceError, LastWayInError for the user themselves
   */
  disconnect(caller: AuditedCaller, userId: number, id: number): Promise<IdentityDto> {
    return this.transactions.run(async (manager) => {
      await this.users.lock(manager, userId);
      const row = await this.identities.find(id, userId, manager);
      const providers = await this.providers.findAll(manager);
      const provider = providers.find((one) => one.id === row?.providerId);
      if (!row || !provider) throw new NoResourceError('identity');
      if (caller.id === userId) {
        const enabled = new Set(providers.flatMap((one) => (one.enabled ? [one.id] : [])));
        const others = (await this.identities.findOfUser(userId, manager)).filter((one) => one.id !== id);
        const owner = await this.passwords.findOwnerById(userId, manager);
        const hasPassword = this.environment.PASSWORD_SIGN_IN && typeof owner?.passwordHash === 'string';
        if (!hasPassword && !others.some((one) => enabled.has(one.providerId))) throw new LastWayInError();
      }
      await this.identities.delete(manager, id);
      await this.revocations.revoke(manager, userId, caller.id === userId ? caller.session?.id : undefined);
      const { userId: name } = await this.users.get(userId, manager);
      await this.auditLog.record(manager, caller, {
        action: 'identity.delete',
        subject: { id: userId, name },
        changes: [{ field: 'provider', from: provider.providerKey, to: null }],
      });
      return toIdentityDto(row, provider);
    });
  }
}
