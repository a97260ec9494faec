import { type DataSource } from 'typeorm';
import { entities } from '../app.entities';
import { createDataSource } from '../database/connections/data-source';
import { type ForeignKey, readForeignKeys } from '../database/schema/foreign-keys';
import { toColumnName } from '../database/sql/statements';
import { archiveKinds, toProperty } from './archive-kinds';
import { recordKinds } from './record-kinds';

/** The tables that no archive has, by the reason. */
const NOT_ARCHIVED: Readonly<Record<string, readonly string[]>> = {
  'people sign in again': [
    ...['api_key', 'session', 'password_link', 'login_challenge', 'sign_in_failures', 'totp'],
    ...['recovery_code', 'invitation', 'passkey', 'used_challenge'],
    ...['identity_provider', 'identity', 'sso_attempt', 'mail_setting'],
  ],
  'it belongs to the installation': ['space', 'audit_log_entry', 'recently_viewed'],
  'it is derived from the rest': [
    ...['search_index', 'search_block', 'search_posting', 'search_change', 'used_storage', 'git_ref'],
    'document_tree',
  ],
  'it is work in progress': [
    ...[
      'git_push',
      'removed_thread',
      'removed_wiki',
      'removed_git_repository',
      'import_run',
      'import_record',
    ],
    ...['webhook_event', 'webhook_delivery', 'webhook_delivery_attempt'],
    ...['mail_letter', 'mail_server'],
  ],
};

/** Columns whose names say that they refer to something, but that do not refer to a record. */
const NO_REFERENCES = [
  'vendorId',
  'vendorUniqueId',
  'user.userId',
  'typeId',
  'statusId',
  'priorityId',
  'resolutionId',
];

describe('archiveKinds', () => {
  let dataSource: DataSource;
  let foreignKeys: ForeignKey[];

  beforeAll(async () => {
    dataSource = createDataSource({ DATABASE_URL: 'sqlite::memory:', DATABASE_POOL_SIZE: 1 }, entities);
    await dataSource.initialize();
    await dataSource.runMigrations();
    foreignKeys = await readForeignKeys(dataSource, true);
  });

  afterAll(() => dataSource.destroy());

  const columnsOf = (table: string): string[] =>
    dataSource.entityMetadatas
      .filter(({ tableName }) => tableName === table)
      .flatMap(({ columns }) => columns.map(({ databaseName }) => databaseName));

  it('has every table, except those absent for a reason', () => {
    const archived = archiveKinds(foreignKeys).map(({ table }) => table);
    const absent = Object.values(NOT_ARCHIVED).flat();
    const all = dataSource.entityMetadatas.map(({ tableName }) => tableName);
    expect([...archived, ...absent].sort()).toEqual(all.sort());
  });

  it('names only columns that exist', () => {
    const missing = archiveKinds(foreignKeys).flatMap(
      ({ table, by = [], id = 'id', only, without = [], refersTo, reduced, inside, texts = [] }) => {
        const columns = columnsOf(table);
        const named = [only, refersTo, reduced, inside].flatMap((byColumn) => Object.keys(byColumn ?? {}));
        named.push(...by, ...without, ...texts, ...(id === 'id' ? [] : [id]));
        return named
          .filter((property) => !columns.includes(toColumnName(property)))
          .map((name) => `${table}.${name}`);
      },
    );
    expect(missing).toEqual([]);
  });

  it('has the kind that each reference leads to', () => {
    const unknown = archiveKinds(foreignKeys).flatMap(({ name, table, references, without = [] }) =>
      columnsOf(table)
        .filter((column) => column.endsWith('_id') && !references.has(column))
        .map(toProperty)
        .filter((property) => !without.includes(property))
        .filter(
          (property) => !NO_REFERENCES.includes(property) && !NO_REFERENCES.includes(`${name}.${property}`),
        )
        .map((property) => `${name}.${property}`),
    );
    expect(unknown).toEqual(['agent.keyId', 'issue.keyId']);
  });

  it('lets records refer only to earlier ones and to those of their kind', () => {
    const kinds = archiveKinds(foreignKeys);
    const late = kinds.flatMap(({ name, references }, index) =>
      [...references.values()]
        .filter((target) => kinds.findIndex((kind) => kind.name === target) > index)
        .map((target) => `${name}: ${target}`),
    );
    expect(late).toEqual([]);
  });

  it('has JSON values of which each declares whether it is a list or an object', async () => {
    const shapeless = (await recordKinds()).flatMap(({ name, fields }) =>
      fields
        .filter((field) => field.isJson && field.isValid([], {}) && field.isValid({}, {}))
        .map((field) => `${name}.${field.name}`),
    );
    expect(shapeless).toEqual([]);
  });

  it('converts the name of every column to its property', () => {
    const columns = dataSource.entityMetadatas.flatMap((metadata) => metadata.columns);
    const wrong = columns.filter((column) => toProperty(column.databaseName) !== column.propertyName);
    expect(wrong.map(({ databaseName }) => databaseName)).toEqual([]);
  });
});
