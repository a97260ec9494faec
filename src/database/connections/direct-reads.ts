import { setTimeout as sleep } from 'node:timers/promises';
import { publishStatement, statements } from '../../diagnostics/channels';
import { isDeadlock } from './database-errors';
import { type DataSource, QueryFailedError, type QueryRunner } from 'typeorm';

const READS = /^\s*(?:select|explain|values)\b/i;

/** Whether a statement only reads. */
export const isRead = (sql: string): boolean => READS.test(sql);

/** Attempts at a read, and the longest pause after the first, in milliseconds. */
const MAX_ATTEMPTS = 5;
const PAUSE_MS = 20;

/**
 * Sends SELECTs outside transactions straight to the driver. TypeORM creates a query runner for each, which takes longer than many of these
 * statements; all other statements still go through TypeORM. A read that a cluster interrupts because a table is changed on another node is
 * repeated: no transaction depends on it.
 */
export function useDirectReads(
  dataSource: DataSource,
  read: (sql: string, parameters: unknown[]) => unknown,
): void {
  const query = dataSource.query.bind(dataSource);
  const send = (sql: string, parameters: unknown[]): unknown =>
    // The cost of an additional promise is noticeable.
    statements.isHeard
      ? publishStatement(dataSource.options.type, sql, () =>
          Promise.resolve().then(() => read(sql, parameters)),
        )
      : read(sql, parameters);
  const readDirectly = async <T>(sql: string, parameters: unknown[], attempt = 1): Promise<T> => {
    dataSource.logger.logQuery(sql, parameters);
    try {
      return (await send(sql, parameters)) as T;
    } catch (error) {
      if (isDeadlock(error) && attempt < MAX_ATTEMPTS) {
        await sleep(Math.random() * PAUSE_MS * attempt);
        return readDirectly<T>(sql, parameters, attempt + 1);
      }
      dataSource.logger.logQueryError(error as Error, sql, parameters);
      throw new QueryFailedError(sql, parameters, error as Error);
    }
  };
  dataSource.query = <T>(sql: string, parameters: unknown[] = [], queryRunner?: QueryRunner): Promise<T> =>
    queryRunner || !isRead(sql) ? query<T>(sql, parameters, queryRunner) : readDirectly<T>(sql, parameters);
}
