import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Conditions } from '../../database/sql/conditions';
import { countRows } from '../../database/sql/list-page';
import { insertRow, selectRow, selectRows, updateRow } from '../../database/sql/rows';
import { type EntityRunner, type StatementRunner } from '../../database/sql/statements';
import { IdentityProvider } from '../entities/identity-provider.entity';

const KEYS = [
  'id',
  'providerKey',
  'name',
  'issuer',
  'clientId',
  'clientSecret',
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
  'created',
] as const;

/** A provider with all its columns; the client secret is encrypted. */
export type ProviderRow = Pick<IdentityProvider, (typeof KEYS)[number]>;

/** A provider as the page to sign in shows it. */
export type EnabledProvider = Pick<ProviderRow, 'id' | 'providerKey' | 'name'>;

/** The condition that users can sign in with a provider. */
export const USABLE = 'enabled = 1 AND client_secret IS NOT NULL';

/** Counts the providers with which users can sign in. */
export const ENABLED_PROVIDERS = `SELECT COUNT(*) AS count FROM identity_provider WHERE ${USABLE}`;

/** Repository of identity providers; their number is limited. */
@Injectable()
export class IdentityProviderRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns all providers, oldest first. */
  findAll(runner: EntityRunner = this.dataSource): Promise<ProviderRow[]> {
    return selectRows(runner, IdentityProvider, KEYS, 'ORDER BY id', []);
  }

  /** Returns the providers with which users can sign in, oldest first. */
  findEnabled(): Promise<EnabledProvider[]> {
    const keys = ['id', 'providerKey', 'name'] as const;
    return selectRows(this.dataSource, IdentityProvider, keys, `WHERE ${USABLE} ORDER BY id`, []);
  }

  findById(id: number, runner: EntityRunner): Promise<ProviderRow | undefined> {
    return selectRow(runner, IdentityProvider, KEYS, 'WHERE id = ?', [id]);
  }

  findByKey(key: string, runner: EntityRunner = this.dataSource): Promise<ProviderRow | undefined> {
    return selectRow(runner, IdentityProvider, KEYS, 'WHERE provider_key = ?', [key]);
  }

  /** Whether a provider exists and is enabled. */
  async isEnabled(id: number, manager: EntityManager): Promise<boolean> {
    return (await selectRow(manager, IdentityProvider, ['enabled'], 'WHERE id = ?', [id]))?.enabled === true;
  }

  count(manager: EntityManager): Promise<number> {
    return countRows(manager, { from: 'identity_provider', conditions: new Conditions() });
  }

  /** Counts the providers with which users can sign in. */
  async countUsable(runner: StatementRunner = this.dataSource): Promise<number> {
    const [row] = await runner.query<[{ count: number | string }]>(ENABLED_PROVIDERS, []);
    return Number(row.count);
  }

  insert(manager: EntityManager, provider: Omit<ProviderRow, 'id'>): Promise<number> {
    return insertRow(manager, IdentityProvider, provider);
  }

  update(manager: EntityManager, id: number, changes: Partial<ProviderRow>): Promise<void> {
    return updateRow(manager, IdentityProvider, id, changes);
  }

  /** Deletes a provider with its identities. */
  async delete(manager: EntityManager, id: number): Promise<void> {
    await manager.query('DELETE FROM identity_provider WHERE id = ?', [id]);
  }
}
