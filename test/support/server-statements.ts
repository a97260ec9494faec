import { type DataSource } from 'typeorm';

/**
 * Returns the statements that run in the database of a server, with the ids of their connections. MySQL cannot select from
 * `information_schema.PROCESSLIST` while a statement of another suite has an emoji.
 */
export async function serverStatements(dataSource: DataSource): Promise<{ id: number; sql: string }[]> {
  const processes =
    await dataSource.query<{ Id: number | string; db: string | null; Info: string | null }[]>(
      'SHOW FULL PROCESSLIST',
    );
  return processes
    .filter(({ db }) => db === dataSource.driver.database)
    .map(({ Id, Info }) => ({ id: Number(Id), sql: Info ?? '' }));
}
