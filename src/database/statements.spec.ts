import { Column, type DataSource, Entity, type EntityManager } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../test/support/database';
import { BigIntColumn, JsonColumn, PrimaryId, TimeColumn } from './columns';
import { createDataSource } from './data-source';
import { affectedRows, insertRow, insertRows, placeholders } from './statements';

@Entity('note')
class Note {
  @PrimaryId()
  id: number;

  @BigIntColumn()
  ownerId: number;

  @Column({ length: 255 })
  text: string;

  @Column({ type: 'boolean' })
  done: boolean;

  @JsonColumn()
  tags: string[];

  @TimeColumn({ nullable: true })
  due: number | null;
}

const note = {
  ownerId: 7,
  text: "Robert'); DROP TABLE note; -- 😀",
  done: true,
  tags: ['a', 'b'],
  due: null,
};

describe('statements', () => {
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = createDataSource(
      { DATABASE_URL: database.url ?? 'sqlite::memory:', DATABASE_POOL_SIZE: 2 },
      [Note],
    );
    await dataSource.initialize();
    const id = database.url
      ? 'bigint NOT NULL AUTO_INCREMENT PRIMARY KEY'
      : 'INTEGER PRIMARY KEY AUTOINCREMENT';
    await dataSource.query(
      `CREATE TABLE note (id ${id}, owner_id bigint NOT NULL, text varchar(255) NOT NULL, done boolean NOT NULL,
        tags text NOT NULL, due bigint)${database.url ? ' CHARSET=utf8mb4 COLLATE=utf8mb4_bin' : ''}`,
    );
  });

  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  const inTransaction = <T>(work: (manager: EntityManager) => Promise<T>): Promise<T> =>
    dataSource.transaction(work);

  it('inserts a row that reads back as it was given, by the id it gives', async () => {
    const id = await inTransaction((manager) => insertRow(manager, Note, note));
    expect(await dataSource.getRepository(Note).findOneBy({ id })).toEqual({ id, ...note });
  });

  it('takes the fields in any order', async () => {
    const { text, ownerId, ...rest } = note;
    const ids = await inTransaction(async (manager) => [
      await insertRow(manager, Note, { ...rest, ownerId, text }),
      await insertRow(manager, Note, { text, ...rest, ownerId }),
    ]);
    for (const id of ids) {
      expect(await dataSource.getRepository(Note).findOneBy({ id })).toEqual({ id, ...note });
    }
  });

  it('inserts several rows at once and gives the id of the first', async () => {
    const rows = ['one', 'two', 'three'].map((text) => ({ ...note, text }));
    const id = await inTransaction((manager) => insertRows(manager, Note, rows));
    const stored = await dataSource.getRepository(Note).findOneByOrFail({ id });
    expect(stored.text).toBe('one');
  });

  it('refuses to insert no rows, and fields that are none', async () => {
    await expect(inTransaction((manager) => insertRows(manager, Note, []))).rejects.toThrow('No rows');
    const unknown = { ...note, colour: 'red' };
    await expect(inTransaction((manager) => insertRow(manager, Note, unknown))).rejects.toThrow('colour');
  });

  it('tells how many rows an update met, also where it changed nothing', async () => {
    await inTransaction(async (manager) => {
      await insertRows(manager, Note, [
        { ...note, ownerId: 8 },
        { ...note, ownerId: 8 },
      ]);
      const update = 'UPDATE note SET text = ? WHERE owner_id = ?';
      expect(await affectedRows(manager, update, ['same', 8])).toBe(2);
      expect(await affectedRows(manager, update, ['same', 8])).toBe(2);
      expect(await affectedRows(manager, update, ['same', 9])).toBe(0);
      expect(await affectedRows(manager, 'DELETE FROM note WHERE owner_id = ?', [8])).toBe(2);
    });
  });

  it('refuses a conditional write outside a transaction', async () => {
    await expect(affectedRows(dataSource.manager, 'DELETE FROM note', [])).rejects.toThrow('transaction');
  });

  it.each([
    [[], ''],
    [[1], '?'],
    [[1, 2, 3], '?,?,?'],
  ])('writes placeholders for %j', (values, text) => {
    expect(placeholders(values)).toBe(text);
  });
});
