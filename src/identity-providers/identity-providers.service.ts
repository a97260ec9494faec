import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Actor } from '../audit-log/actor';
import { auditChanges, secretChange } from '../audit-log/audit-changes';
import { AuditLogService } from '../audit-log/audit-log.service';
import { Environment } from '../config/environment';
import { TransactionsService } from '../database/transactions/transactions.service';
import { EncryptionService } from '../encryption/encryption.service';
import { ConflictError, InvalidRequestError, NoResourceError } from '../errors/domain-errors';
import { CountLimitsService } from '../limits/count-limits.service';
import { RefusedAddressError } from '../outgoing/address-guard';
import { SpaceService } from '../space/space.service';
import { ProviderClientsService } from './client/provider-clients.service';
import { isSecureAddress } from './client/provider-fetch';
import {
  type EnabledProvider,
  IdentityProviderRepository,
  type ProviderRow,
} from './data/identity-provider.repository';
import { type AddIdentityProviderDto } from './dto/add-identity-provider.dto';
import { type IdentityProviderDto } from './dto/identity-provider.dto';
import { type UpdateIdentityProviderDto } from './dto/update-identity-provider.dto';
import { toProviderDto } from './provider.mapper';
import { callbackPath } from './sso-paths';

/** The fields of a provider that the audit log records. */
const AUDITED = [
  'providerKey',
  'name',
  'issuer',
  'clientId',
  'scopes',
  'allowedDomains',
  'createsUsers',
  'defaultRoleType',
  'groupsClaim',
  'groupRoles',
  'linksByMail',
  'trustsMail',
  'trustsSecondFactor',
  'acceptsMissingAuthTime',
  'enabled',
] as const;

/** How long the list of enabled providers is used, in milliseconds, so that strangers who open the page to sign in do not use the database. */
const CACHE_MS = 3000;

/** Manages identity providers (`docs/decisions/0065-single-sign-on.md`). Every change locks the space. */
@Injectable()
export class IdentityProvidersService {
  private enabled?: { rows: Promise<EnabledProvider[]>; until: number };

  constructor(
    private readonly environment: Environment,
    private readonly transactions: TransactionsService,
    private readonly space: SpaceService,
    private readonly limits: CountLimitsService,
    private readonly encryption: EncryptionService,
    private readonly clients: ProviderClientsService,
    private readonly auditLog: AuditLogService,
    private readonly providers: IdentityProviderRepository,
  ) {}

  /** Returns all providers, oldest first; their number is limited. */
  async list(): Promise<IdentityProviderDto[]> {
    return (await this.providers.findAll()).map((row) => this.toDto(row));
  }

  /** Returns the providers with which users can sign in, oldest first; in other processes, changes show within seconds. */
  listEnabled(): Promise<EnabledProvider[]> {
    const now = Date.now();
    if (!this.enabled || this.enabled.until <= now) {
      const rows = this.providers.findEnabled();
      const read = { rows, until: now + CACHE_MS };
      this.enabled = read;
      rows.catch(() => {
        if (this.enabled === read) this.enabled = undefined;
      });
    }
    return this.enabled.rows;
  }

  /** @throws NoResourceError */
  async get(key: string): Promise<IdentityProviderDto> {
    return this.toDto(await this.find(key));
  }

  /** Returns a provider with its encrypted client secret. @throws NoResourceError */
  async find(key: string, manager?: EntityManager): Promise<ProviderRow> {
    const row = await this.providers.findByKey(key, manager);
    if (!row) throw new NoResourceError('identity provider');
    return row;
  }

  /**
   * Adds a provider. Nothing is sent to it.
   * @throws InvalidRequestError for the field, ConflictError for a key that exists, ResourceOverflowError
   */
  add(
    actor: Actor,
    { key: providerKey, clientSecret, ...fields }: AddIdentityProviderDto,
  ): Promise<IdentityProviderDto> {
    this.checkIssuer(fields.issuer);
    return this.run(async (manager) => {
      if (await this.providers.findByKey(providerKey, manager)) {
        throw keyTakenError();
      }
      this.limits.require('identityProvider', (await this.providers.count(manager)) + 1);
      const row = {
        ...fields,
        providerKey,
        clientSecret: this.encryption.encrypt(clientSecret),
        created: Date.now(),
      };
      requireDomains(row);
      const id = await this.providers.insert(manager, row);
      await this.auditLog.record(manager, actor, {
        action: 'identityProvider.add',
        subject: { id, name: row.name },
        changes: auditChanges({}, row, AUDITED),
      });
      return this.toDto({ ...row, id });
    });
  }

  /**
   * Changes the given fields.
   * @throws NoResourceError, InvalidRequestError, also if nobody could sign in any more
   */
  update(
    actor: Actor,
    key: string,
    { clientSecret, ...fields }: UpdateIdentityProviderDto,
  ): Promise<IdentityProviderDto> {
    const changes = {
      ...fields,
      ...(clientSecret !== undefined && { clientSecret: this.encryption.encrypt(clientSecret) }),
    };
    return this.run(async (manager) => {
      const before = await this.find(key, manager);
      const after = { ...before, ...changes };
      requireDomains(after);
      await this.providers.update(manager, before.id, changes);
      await this.requireWayIn(manager, 'enabled');
      const audited = auditChanges(before, after, AUDITED);
      if (clientSecret !== undefined) audited.push(secretChange('clientSecret'));
      if (audited.length > 0) {
        await this.auditLog.record(manager, actor, {
          action: 'identityProvider.update',
          subject: { id: before.id, name: after.name },
          changes: audited,
        });
      }
      return this.toDto(after);
    });
  }

  /**
   * Deletes a provider with its identities.
   * @throws NoResourceError, InvalidRequestError if nobody could sign in any more
   */
  delete(actor: Actor, key: string): Promise<IdentityProviderDto> {
    return this.run(async (manager) => {
      const row = await this.find(key, manager);
      await this.providers.delete(manager, row.id);
      await this.requireWayIn(manager, 'providerKey');
      await this.auditLog.record(manager, actor, {
        action: 'identityProvider.delete',
        subject: { id: row.id, name: row.name },
        changes: auditChanges(row, {}, AUDITED),
      });
      return this.toDto(row);
    });
  }

  private run<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.transactions.run(async (manager) => {
      await this.space.lock(manager);
      this.transactions.afterCommit(manager, () => {
        this.enabled = undefined;
      });
      return work(manager);
    });
  }

  private async requireWayIn(manager: EntityManager, field: string): Promise<void> {
    if (this.environment.PASSWORD_SIGN_IN || (await this.providers.countUsable(manager)) > 0) return;
    throw InvalidRequestError.of(
      field,
      'Without this identity provider, nobody could sign in, because PASSWORD_SIGN_IN is off.',
    );
  }

  /** @throws InvalidRequestError */
  private checkIssuer(issuer: string): void {
    const url = new URL(issuer);
    if (!isSecureAddress(url) || url.search !== '' || url.hash !== '') {
      throw InvalidRequestError.of(
        'issuer',
        'issuer must begin with https://, or with http:// on this machine, and have neither a query nor a fragment.',
      );
    }
    try {
      this.clients.requests.guard.checkUrl(url);
    } catch (error) {
      throw error instanceof RefusedAddressError ? InvalidRequestError.of('issuer', error.message) : error;
    }
  }

  private toDto(row: ProviderRow): IdentityProviderDto {
    return toProviderDto(row, this.environment.webUrl(callbackPath(row.providerKey)));
  }
}

/** Creates the error for a provider whose key another has. */
export const keyTakenError = (): ConflictError =>
  ConflictError.of('key', 'An identity provider with this key already exists.');

/** People whom nobody has added come in only by domains that somebody has named. */
function requireDomains({
  createsUsers,
  linksByMail,
  allowedDomains,
}: Pick<ProviderRow, 'createsUsers' | 'linksByMail' | 'allowedDomains'>): void {
  if ((!createsUsers && !linksByMail) || allowedDomains.length > 0) return;
  throw InvalidRequestError.of(
    'allowedDomains',
    'createsUsers and linksByMail need allowedDomains: name the domains of the mail addresses, or * for all.',
  );
}
