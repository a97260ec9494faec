import { type Readable } from 'node:stream';
import { type Environment } from '../../config/environment';
import { createDataSource } from '../connections/data-source';
import { inBackground } from './in-background';
import { readLastId } from '../schema/last-id';
import { type Snapshot } from './snapshot';

/** How long the server waits for a slow reader to take the next rows, in seconds. */
const WRITE_TIMEOUT = 3600;

/** Opens a transaction that reads one consistent state on its own connection; a replica will do. */
export async function openServerSnapshot({
  DATABASE_URL,
}: Pick<Environment, 'DATABASE_URL'>): Promise<Snapshot> {
  const dataSource = await createDataSource({ DATABASE_URL, DATABASE_POOL_SIZE: 1 }, [], true).initialize();
  const queryRunner = dataSource.createQueryRunner();
  const query = <T>(sql: string, parameters: unknown[] = []): Promise<T> =>
    queryRunner.query(sql, parameters) as Promise<T>;
  const close = async (): Promise<void> => {
    await queryRunner.release();
    await dataSource.destroy();
  };
  try {
    await query(`SET SESSION net_write_timeout = ${WRITE_TIMEOUT}`);
    await query('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    await query('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
    const [{ version }] = await query<[{ version: string }]>('SELECT VERSION() AS version');
    return {
      isEmbedded: false,
      engine: version.includes('MariaDB') ? version : `MySQL ${version}`,
      query,
      stream: async function* (sql) {
        yield* inBackground(
          (await queryRunner.stream(sql)) as unknown as Readable & AsyncIterable<Record<string, unknown>>,
        );
      },
      lastId: (table) => readLastId({ query }, table, false),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
