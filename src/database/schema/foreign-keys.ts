import { quoted, type StatementRunner } from '../statements';

/** Rows of a table that reference missing rows of another. */
export interface BrokenReference {
  table: string;
  parent: string;
  rows: number;
}

interface ForeignKeyRow {
  tableName: string;
  columnName: string;
  parent: string;
  parentColumn: string;
}

/** Finds references to missing rows. Reads every row that references another. */
export async function findBrokenReferences(
  runner: StatementRunner,
  isEmbedded: boolean,
): Promise<BrokenReference[]> {
  return isEmbedded ? findInFile(runner) : findOnServer(runner);
}

function findInFile(runner: StatementRunner): Promise<BrokenReference[]> {
  return runner.query<BrokenReference[]>(
    'SELECT "table", parent, COUNT(*) AS "rows" FROM pragma_foreign_key_check GROUP BY "table", parent',
  );
}

async function findOnServer(runner: StatementRunner): Promise<BrokenReference[]> {
  const keys = await runner.query<ForeignKeyRow[]>(
    `SELECT table_name AS tableName, column_name AS columnName, referenced_table_name AS parent,
            referenced_column_name AS parentColumn
       FROM information_schema.key_column_usage
      WHERE table_schema = DATABASE() AND referenced_table_name IS NOT NULL
      ORDER BY table_name, column_name`,
  );
  const broken: BrokenReference[] = [];
  for (const { tableName: table, columnName, parent, parentColumn } of keys) {
    const [{ count }] = await runner.query<[{ count: number | string }]>(
      `SELECT COUNT(*) AS count FROM ${quoted(table)} c
         LEFT JOIN ${quoted(parent)} p ON p.${quoted(parentColumn)} = c.${quoted(columnName)}
        WHERE c.${quoted(columnName)} IS NOT NULL AND p.${quoted(parentColumn)} IS NULL`,
    );
    if (Number(count) > 0) broken.push({ table, parent, rows: Number(count) });
  }
  return broken;
}
