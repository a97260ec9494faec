import { type DataSource, type QueryRunner } from 'typeorm';

const limits = new WeakMap<DataSource, number>();

/**
 * From here on no statement on a server takes longer than this, nor any transaction as a whole, the wait for a connection
 * included. Until then, while migrations run, there is no limit.
 */
export function limitStatements(dataSource: DataSource, seconds: number): void {
  limits.set(dataSource, seconds * 1000);
}

/** How long a statement may take, in milliseconds; Infinity before `limitStatements`. */
export const statementLimit = (dataSource: DataSource): number => limits.get(dataSource) ?? Infinity;

/** Has the transactions of a query runner end by a time of `performance.now()`. */
export function endTransactionsAt(queryRunner: QueryRunner, end: number): void {
  queryRunner.data.transactionEnd = end;
}

/** When a transaction that begins now has to be over, by `performance.now()`. */
export const transactionEndOf = ({ data, dataSource }: QueryRunner): number =>
  (data.transactionEnd as number | undefined) ?? performance.now() + statementLimit(dataSource);
