import { placeholders, quoted, type StatementRunner } from '../../database/sql/statements';

/** Returns the names in storage that no row references. */
export async function findUnknownKeys(runner: StatementRunner, keys: readonly string[]): Promise<string[]> {
  if (keys.length === 0) return [];
  const rows = await runner.query<{ storageKey: string }[]>(
    `SELECT storage_key AS storageKey FROM ${quoted('attachment')} WHERE storage_key IN (${placeholders(keys)})`,
    [...keys],
  );
  const known = new Set(rows.map(({ storageKey }) => storageKey));
  return keys.filter((key) => !known.has(key));
}
