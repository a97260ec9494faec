import { quoted, type StatementRunner } from '../sql/statements';

/** Returns the last id that a table has generated, even if its row is gone; undefined if the table generates none. */
export async function readLastId(
  runner: StatementRunner,
  table: string,
  isEmbedded: boolean,
): Promise<number | undefined> {
  if (isEmbedded) {
    const [row] = await runner.query<{ id: number }[]>(
      'SELECT seq AS id FROM sqlite_sequence WHERE name = ?',
      [table],
    );
    return row?.id;
  }
  // The value in information_schema may be a day old.
  const [row] = await runner.query<Record<string, string>[]>(`SHOW CREATE TABLE ${quoted(table)}`);
  const statement = row?.['Create Table'] ?? '';
  if (!/ AUTO_INCREMENT[,\n]/.test(statement)) return undefined;
  return Number(/ AUTO_INCREMENT=(\d+)/.exec(statement)?.[1] ?? 1) - 1;
}
