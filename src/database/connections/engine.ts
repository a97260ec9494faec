import { type DataSource } from 'typeorm';
import { isEmbedded } from '../sql/statements';

/** Returns the product and version of the database: `SQLite 3.50.4`, `MariaDB 11.8.2` or `MySQL 9.4.0`. */
export async function describeEngine(dataSource: DataSource): Promise<string> {
  const version = isEmbedded(dataSource) ? 'sqlite_version()' : 'VERSION()';
  const [row] = await dataSource.query<{ version: string }[]>(`SELECT ${version} AS version`);
  const text = row?.version ?? '';
  if (isEmbedded(dataSource)) return `SQLite ${text}`;
  return text.includes('MariaDB') ? `MariaDB ${text.replace(/-MariaDB.*$/, '')}` : `MySQL ${text}`;
}
