import { type DataSource } from 'typeorm';
import { migrations } from '../../src/database/migrations';

/** Thrown to a process that counts as killed: none of its statements reaches the database any more. */
export class KilledError extends Error {}

/** Returns the statements of all migrations, for a server or for the embedded database. */
export function migrationStatements(isEmbedded: boolean, of = migrations): string[] {
  return of.flatMap((Migration) => {
    const { sqlite, mysql } = new Migration() as unknown as Record<'sqlite' | 'mysql', { up: string[] }>;
    return isEmbedded ? sqlite.up : mysql.up;
  });
}

/**
 * Simulates the death of a process at a statement of a migration, before or after it runs.
 * @param atStatement number of statements that run before it
 */
export function killAt(dataSource: DataSource, atStatement: number, when: 'before' | 'after'): void {
  const statements = new Set(migrationStatements(dataSource.options.type === 'better-sqlite3'));
  const createQueryRunner = dataSource.createQueryRunner.bind(dataSource);
  let left = atStatement;
  let isDead = false;
  dataSource.createQueryRunner = (...parameters) => {
    const queryRunner = createQueryRunner(...parameters);
    const query = queryRunner.query.bind(queryRunner) as (...parameters: unknown[]) => Promise<unknown>;
    queryRunner.query = (async (sql: string, ...rest: unknown[]) => {
      const isLast = statements.has(sql) && left-- === 0;
      isDead ||= isLast && when === 'before';
      if (isDead) throw new KilledError();
      const result = await query(sql, ...rest);
      isDead = isLast;
      if (isDead) throw new KilledError();
      return result;
    }) as typeof queryRunner.query;
    return queryRunner;
  };
}
