import { type DataSource, type EntityMetadata } from 'typeorm';
import { entities } from '../../src/app.entities';
import { archiveKinds, jsonColumns, type Kind } from '../../src/archives/archive-kinds';
import { createDataSource } from '../../src/database/connections/data-source';
import { readForeignKeys } from '../../src/database/schema/foreign-keys';
import { readTables } from '../../src/database/schema/tables';
import { toColumnName } from '../../src/database/sql/statements';

/** Where the schema is. */
export const ARCHIVE_SCHEMA = 'docs/format.schema.json';

/** Returns the JSON Schema of the records of archives, one definition for each kind, in the order of an archive. */
export async function archiveSchema(): Promise<string> {
  const dataSource = createDataSource({ DATABASE_URL: 'sqlite::memory:', DATABASE_POOL_SIZE: 1 }, entities);
  await dataSource.initialize();
  try {
    await dataSource.runMigrations();
    const kinds = archiveKinds(await readForeignKeys(dataSource, true));
    const $defs: Record<string, object> = {};
    for (const kind of kinds) $defs[kind.name] = await recordSchema(dataSource, kind);
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'Records of an archive of projects, by their kinds, in the order of an archive',
      $defs,
    };
    return `${JSON.stringify(schema, undefined, 2)}\n`;
  } finally {
    await dataSource.destroy();
  }
}

async function recordSchema(dataSource: DataSource, kind: Kind): Promise<object> {
  const metadata = dataSource.entityMetadatas.find(({ tableName }) => tableName === kind.table);
  const table = (await readTables(dataSource, true)).find(({ name }) => name === kind.table);
  const left = new Set([...Object.keys(kind.only ?? {}), ...(kind.without ?? [])].map(toColumnName));
  const names = (table?.columns ?? []).map(({ name }) => name).filter((name) => !left.has(name));
  const json = jsonColumns(kind, names);
  const properties = names.flatMap((name): [string, object][] => {
    const column = metadata?.columns.find(({ databaseName }) => databaseName === name);
    const target = kind.references.get(name);
    return column
      ? [
          [
            column.propertyName,
            { ...typeOf(column, json.has(name)), ...(target && { 'x-refers-to': target }) },
          ],
        ]
      : [];
  });
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: properties.map(([name]) => name),
    additionalProperties: false,
  };
}

function typeOf({ type, isNullable, length }: EntityMetadata['columns'][number], isJson: boolean): object {
  if (isJson) return {};
  const name =
    type === Boolean || type === 'boolean'
      ? 'boolean'
      : type === Number || ['bigint', 'integer', 'smallint'].includes(type as string)
        ? 'integer'
        : 'string';
  return {
    type: isNullable ? [name, 'null'] : name,
    ...(name === 'string' && length && { maxLength: Number(length) }),
  };
}
