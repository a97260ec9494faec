import { Injectable } from '@nestjs/common';
import { type AuditedCaller } from '../access/caller';
import { AuditLogService } from '../audit-log/audit-log.service';
import { TransactionsService } from '../database/transactions/transactions.service';
import { NoResourceError } from '../errors/domain-errors';
import { RevocationsService } from '../users/revocations.service';
import { UserAdministrationService } from '../users/user-administration.service';
import { UsersService } from '../users/users.service';
import { WaysInService } from '../users/ways-in.service';
import { type EnabledProvider, IdentityProviderRepository } from './data/identity-provider.repository';
import { IdentityRepository } from './data/identity.repository';
import { type IdentityDto } from './dto/identity.dto';
import { toIdentityDto } from './provider.mapper';

/** Lists and disconnects what users are at identity providers. */
@Injectable()
export class IdentitiesService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly users: UsersService,
    private readonly revocations: RevocationsService,
    private readonly auditLog: AuditLogService,
    private readonly identities: IdentityRepository,
    private readonly providers: IdentityProviderRepository,
    private readonly waysIn: WaysInService,
    administration: UserAdministrationService,
  ) {
    waysIn.register(
      'identity',
      async (userId, manager) => (await this.identities.findUsable(userId, manager)).length > 0,
    );
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

  /** Returns the providers with which a user can sign in, oldest first. */
  listUsable(userId: number): Promise<EnabledProvider[]> {
    return this.identities.findUsable(userId);
  }

  /**
   * Disconnects an identity, and ends the user's sessions except for the caller's own.
   * @throws NoResourceError, LastWayInError for the user themselves
   */
  disconnect(caller: AuditedCaller, userId: number, id: number): Promise<IdentityDto> {
    return this.transactions.run(async (manager) => {
      await this.users.lock(manager, userId);
      const row = await this.identities.find(id, userId, manager);
      const provider = row && (await this.providers.findById(row.providerId, manager));
      if (!provider) throw new NoResourceError('identity');
      await this.waysIn.keepingOne(manager, { actor: caller, userId, field: 'identityId' }, () =>
        this.identities.delete(manager, id),
      );
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
