import { createDataSource } from '../../../src/database/connections/data-source';

/**
 * Commits items, each with its part, until it is killed, and prints the number of each after the commit. After each commit it
 * writes an item in a transaction that it rolls back.
 */
async function commitRows(file: string, first: number): Promise<void> {
  const dataSource = createDataSource({ DATABASE_URL: `sqlite:${file}`, DATABASE_POOL_SIZE: 1 }, []);
  await dataSource.initialize();
  for (let number = first; ; number++) {
    await dataSource.transaction(async (manager) => {
      await manager.query('INSERT INTO item (number) VALUES (?)', [number]);
      await manager.query('INSERT INTO part (item_number) VALUES (?)', [number]);
    });
    // Until the parent has room to read it, no further row is committed: a queued line would be lost in the kill.
    await new Promise((written) => process.stdout.write(`${number}\n`, written));
    const queryRunner = dataSource.createQueryRunner();
    await queryRunner.startTransaction();
    await queryRunner.query('INSERT INTO item (number) VALUES (?)', [-number]);
    await queryRunner.rollbackTransaction();
    await queryRunner.release();
  }
}

void commitRows(process.argv[2] as string, Number(process.argv[3]));
