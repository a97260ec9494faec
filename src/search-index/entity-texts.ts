import { type DataSource, type EntityManager, type ObjectLiteral } from 'typeorm';
import { Conditions } from '../database/sql/conditions';
import { countRows } from '../database/sql/list-page';
import { selectRow, selectRows } from '../database/sql/rows';
import { inList, quoted } from '../database/sql/statements';
import { type SearchKind } from './search-kind';
import { type SourceText, type TextSource } from './text-source';

/** The entity that contains the texts of a kind, and their columns. */
interface EntityTexts<Entity> {
  kind: SearchKind;
  blockSize: number;
  entity: new () => Entity;
  columns: readonly (keyof Entity & string)[];
}

type IndexedEntity = ObjectLiteral & { id: number };

/** Returns a source that reads the texts of an entity for the index. */
export function entityTexts<Entity extends IndexedEntity>(
  dataSource: DataSource,
  { kind, blockSize, entity, columns }: EntityTexts<Entity>,
): TextSource {
  const keys = ['id', ...columns] as const;
  const read = async (
    runner: DataSource | EntityManager,
    rest: string,
    parameters: readonly number[],
  ): Promise<SourceText[]> => {
    const rows = await selectRows(runner, entity, keys, rest, parameters);
    return rows.map((row) => ({
      id: row.id,
      texts: columns.map((column) => row[column] as string),
    }));
  };
  return {
    kind,
    blockSize,
    lastId: async () => {
      const row = await selectRow<Entity, 'id'>(dataSource, entity, ['id'], 'ORDER BY id DESC LIMIT 1');
      return row?.id ?? 0;
    },
    readRange: (from, below, limit) =>
      read(dataSource, `WHERE id >= ? AND id < ? ORDER BY id LIMIT ${limit}`, [from, below]),
    countRange: (from, below) => {
      const conditions = new Conditions().add('id >= ?', from).add('id < ?', below);
      return countRows(dataSource, { from: quoted(dataSource.getMetadata(entity).tableName), conditions });
    },
    readByIds: (ids, manager) => {
      const list = inList(ids);
      return read(manager, `WHERE id ${list.sql}`, list.parameters);
    },
  };
}
