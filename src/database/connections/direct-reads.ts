import { publishStatement, statements } from '../../diagnostics/channels';
import { type DataSource, QueryFailedError, type QueryRunner } from 'typeorm';

const READS = /^\s*(?:select|explain|values)\b/i;

/** Whether a statement only reads. */
export const isRead = (sql: string): boolean => READS.test(sql);

/**
 * Sends SELECTs outside transactions straight to the driver. TypeORM creates a query runner for each, which takes longer than many of these
 * statements; all other statements still go through TypeORM.
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
  const readDirectly = async <T>(sql: string, parameters: unknown[]): Promise<T> => {
    dataSource.logger.logQuery(sql, parameters);
    try {
      return (await send(sql, parameters)) as T;
    } catch (error) {
      dataSource.logger.logQueryError(error as Error, sql, parameters);
      throw new QueryFailedError(sql, parameters, error as Error);
    }
  };
  dataSource.query = <T>(sql: string, parameters: unknown[] = [], queryRunner?: QueryRunner): Promise<T> =>
    queryRunner || !isRead(sql) ? query<T>(sql, parameters, queryRunner) : readDirectly<T>(sql, parameters);
}
