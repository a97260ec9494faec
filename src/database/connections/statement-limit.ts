import { type DataSource, type QueryRunner } from 'typeorm';

const limits = new WeakMap<DataSource, number>();

/**
 * Sets a time limit for each statement on a server and for each transaction as a whole, including the wait for a connection. Before this
 * call, while migrations run, there is no limit.
 */
export function limitStatements(dataSource: DataSource, seconds: number): void {
  limits.set(dataSource, seconds * 1000);
}

/** Returns the time limit of a statement, in milliseconds; Infinity before `limitStatements`. */
export const statementLimit = (dataSource: DataSource): number => limits.get(dataSource) ?? Infinity;

/** Sets the deadline of a query runner's transactions, on the clock of `performance.now()`. */
export function endTransactionsAt(queryRunner: QueryRunner, end: number): void {
  queryRunner.data.transactionEnd = end;
}

/** Returns the deadline of a transaction that begins now, on the clock of `performance.now()`. */
export const transactionEndOf = ({ data, dataSource }: QueryRunner): number =>
  (data.transactionEnd as number | undefined) ?? performance.now() + statementLimit(dataSource);
