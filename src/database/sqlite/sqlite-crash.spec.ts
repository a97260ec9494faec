import { randomInt } from 'node:crypto';
import { Child } from '../../../test/support/child';
import { TemporaryFolder } from '../../../test/support/sqlite';
import { SqliteDatabase } from './node-sqlite';

const KILLS = 6;

describe('the embedded database after its process is killed', () => {
  it('keeps all acknowledged rows, no partial transaction, and its integrity', async () => {
    const folder = new TemporaryFolder();
    const file = folder.file('test.db');
    const database = new SqliteDatabase(file);
    database.exec(`CREATE TABLE item (number INTEGER PRIMARY KEY);
      CREATE TABLE part (item_number INTEGER PRIMARY KEY REFERENCES item (number))`);
    const acknowledged: number[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const child = new Child('commit-rows', file, String(kill * 1_000_000 + 1));
      acknowledged.push(Number(await child.nextLine()));
      // Lines rather than milliseconds determine when to kill, so that each round has work to lose even on a slow machine.
      for (let lines = randomInt(1, 80); lines > 0; lines--)
        acknowledged.push(Number(await child.nextLine()));
      await child.kill();
      acknowledged.push(...(await child.restOfLines()).map(Number));
    }
    const items = new Set(
      database
        .prepare('SELECT number FROM item')
        .all()
        .map((row) => row.number),
    );
    const parts = new Set(
      database
        .prepare('SELECT item_number AS n FROM part')
        .all()
        .map((row) => row.n),
    );
    expect(acknowledged.filter((number) => !items.has(number))).toEqual([]);
    expect(parts).toEqual(items);
    // Each kill leaves at most one additional row: the one with the lost acknowledgement.
    expect(items.size - acknowledged.length).toBeLessThanOrEqual(KILLS);
    expect(database.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    expect(database.pragma('foreign_key_check')).toEqual([]);
    database.close();
    folder.remove();
  });
});
