import { Column, type DataSource, Entity, type EntityManager } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database';
import { BigIntColumn, JsonColumn, LockVersionColumn, PrimaryId, TimeColumn } from '../schema/columns';
import { createDataSource } from '../connections/data-source';
import { Conditions } from './conditions';
import { containsPattern } from './like';
import {
  canReturnRows,
  entityColumns,
  hydrateRows,
  insertRow,
  insertRows,
  insertRowsReturning,
  numberingFromOne,
  selectRow,
  selectRows,
  updateRow,
} from './rows';
import { affectedRows, columnsOf, inList, lockRow, placeholders } from './statements';

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

  @LockVersionColumn()
  lockVersion?: number;
}

const note = {
  ownerId: 7,
  text: "Robert'); DROP TABLE note; -- 😀",
  done: true,
  tags: ['a', 'b'],
  due: null,
};

describe('the SQL statement helpers', () => {
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
        tags text NOT NULL, due bigint, lock_version bigint NOT NULL DEFAULT 0)${database.url ? ' CHARSET=utf8mb4 COLLATE=utf8mb4_bin' : ''}`,
    );
  });

  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  const inTransaction = <T>(work: (manager: EntityManager) => Promise<T>): Promise<T> =>
    dataSource.transaction(work);

  it('inserts a row that reads back unchanged by the returned id', async () => {
    const id = await inTransaction((manager) => insertRow(manager, Note, note));
    expect(await dataSource.getRepository(Note).findOneBy({ id })).toEqual({ id, ...note });
  });

  it('accepts the fields in any order', async () => {
    const { text, ownerId, ...rest } = note;
    const ids = await inTransaction(async (manager) => [
      await insertRow(manager, Note, { ...rest, ownerId, text }),
      await insertRow(manager, Note, { text, ...rest, ownerId }),
    ]);
    for (const id of ids) {
      expect(await dataSource.getRepository(Note).findOneBy({ id })).toEqual({ id, ...note });
    }
  });

  it('inserts several rows at once and returns the id of the first', async () => {
    const rows = ['one', 'two', 'three'].map((text) => ({ ...note, text }));
    const id = await inTransaction((manager) => insertRows(manager, Note, rows));
    const stored = await dataSource.getRepository(Note).findOneByOrFail({ id });
    expect(stored.text).toBe('one');
  });

  it('numbers rows from 1 without gaps within numberingFromOne', async () => {
    const rows = ['four', 'five'].map((text) => ({ ...note, ownerId: 70, text }));
    const first = await inTransaction((manager) => insertRows(manager, Note, rows));
    const ids = (await dataSource.getRepository(Note).findBy({ ownerId: 70 })).map(({ id }) => id);
    expect(ids).toEqual([first, first + (database.url ? 3 : 1)]);
    await dataSource.query('DELETE FROM note');
    const numbered = await numberingFromOne(dataSource, async () => [
      await inTransaction((manager) => insertRows(manager, Note, rows)),
      await inTransaction((manager) => insertRow(manager, Note, note)),
    ]);
    expect(numbered).toEqual([1, 3]);
    const stored = await dataSource.getRepository(Note).find({ order: { id: 'ASC' } });
    expect(stored.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(await inTransaction((manager) => insertRow(manager, Note, note))).toBeGreaterThan(first);
  });

  it('refuses an insert without rows or with an unknown field', async () => {
    await expect(inTransaction((manager) => insertRows(manager, Note, []))).rejects.toThrow('No rows');
    const unknown = { ...note, colour: 'red' };
    await expect(inTransaction((manager) => insertRow(manager, Note, unknown))).rejects.toThrow('colour');
  });

  it('counts the rows that a write matched, whether changed or not', async () => {
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

  it('updates the given columns and leaves undefined ones unchanged', async () => {
    const id = await inTransaction(async (manager) => {
      const noteId = await insertRow(manager, Note, note);
      await insertRow(manager, Note, note);
      await updateRow(manager, Note, noteId, { tags: [], done: false, due: 5, text: undefined });
      await updateRow(manager, Note, noteId, { text: undefined });
      return noteId;
    });
    const stored = (await dataSource.getRepository(Note).findBy({ ownerId: 7 })).filter(
      (row) => row.id >= id,
    );
    expect(stored).toEqual([
      { id, ...note, tags: [], done: false, due: 5 },
      { id: expect.any(Number) as number, ...note },
    ]);
  });

  it('reads columns with the names and types of the entity', async () => {
    const id = await inTransaction((manager) => insertRow(manager, Note, note));
    const rest = 'WHERE id = ? ORDER BY id';
    const { tags, done, due } = note;
    expect(await selectRows(dataSource, Note, ['id', 'tags', 'done', 'due'], rest, [id])).toEqual([
      { id, tags, done, due },
    ]);
    await inTransaction(async (manager) => {
      const undone = await insertRow(manager, Note, { ...note, done: false });
      const found = await selectRow(manager, Note, ['done', 'ownerId'], 'WHERE id = ?', [undone]);
      expect(found).toEqual({ done: false, ownerId: 7 });
      expect(await selectRow(manager, Note, ['id'], 'WHERE id = ?', [undone + 100])).toBeUndefined();
    });
  });

  it('converts all columns of rows with long JSON values', async () => {
    const long = ['x'.repeat(200_000)];
    const rows: Record<'id' | 'tags' | 'done', unknown>[] = [1, 2, 3].map((id) => ({
      id,
      tags: JSON.stringify(long),
      done: 1,
    }));
    const converted = hydrateRows(dataSource, Note, ['tags', 'done'], rows);
    expect(converted).toBeInstanceOf(Promise);
    expect(await converted).toEqual([1, 2, 3].map((id) => ({ id, tags: long, done: true })));
  });

  it('reads columns of several tables', async () => {
    const id = await inTransaction((manager) => insertRow(manager, Note, { ...note, ownerId: 71 }));
    const columns = entityColumns(dataSource, Note, ['id', 'done'], 'n');
    const rows = await dataSource.query<{ id: number; done: boolean; others: number | string }[]>(
      `SELECT ${columns}, (SELECT COUNT(*) FROM note o WHERE o.id < n.id) AS others FROM note n WHERE n.owner_id = 71`,
    );
    const [row] = await hydrateRows(dataSource, Note, ['done'], rows);
    expect(row).toEqual({ id, done: true, others: expect.anything() as unknown });
    const joined = await selectRows(
      dataSource,
      Note,
      ['id', 'text'],
      'JOIN note o ON o.id = note.id WHERE o.owner_id = ?',
      [71],
    );
    expect(joined).toEqual([{ id, text: note.text }]);
  });

  it('returns the inserted columns where the engine supports it', async () => {
    await inTransaction(async (manager) => {
      if (!canReturnRows(manager)) return;
      const rows = [false, true].map((done) => ({ ...note, done }));
      const written = await insertRowsReturning(manager, Note, rows, ['done', 'tags']);
      expect(written).toEqual([
        { done: false, tags: note.tags },
        { done: true, tags: note.tags },
      ]);
    });
  });

  it('refuses to select an unknown column', async () => {
    await expect(selectRows(dataSource, Note, ['colour' as 'text'])).rejects.toThrow('colour');
  });

  it('locks an existing row and returns false for a missing one', async () => {
    await inTransaction(async (manager) => {
      const id = await insertRow(manager, Note, note);
      expect(await lockRow(manager, 'note', id)).toBe(true);
      expect(await lockRow(manager, 'note', id + 1)).toBe(false);
    });
  });

  it('holds the lock on a row until the transaction ends', async () => {
    const id = await inTransaction((manager) => insertRow(manager, Note, { ...note, due: 0 }));
    const addOne = (): Promise<void> =>
      inTransaction(async (manager) => {
        await lockRow(manager, 'note', id);
        const [row] = await manager.query<{ due: number }[]>('SELECT due FROM note WHERE id = ?', [id]);
        await updateRow(manager, Note, id, { due: Number(row?.due) + 1 });
      });
    await Promise.all(Array.from({ length: 10 }, addOne));
    expect(await dataSource.getRepository(Note).findOneBy({ id })).toMatchObject({ due: 10 });
  });

  it('matches no row with an empty list', async () => {
    const list = inList([]);
    expect(await dataSource.query(`SELECT id FROM note WHERE id ${list.sql}`, list.parameters)).toEqual([]);
  });

  it('aliases columns by the property names of the entity', () => {
    expect(columnsOf('n', ['id', 'createdUserId'])).toBe(
      'n.`id` AS `id`, n.`created_user_id` AS `createdUserId`',
    );
  });

  it('collects conditions with their parameters in order', () => {
    const conditions = new Conditions()
      .add('a = ?', 1)
      .addIf(undefined, 'b = ?')
      .addIf(2, 'c = ?')
      .inIfAny('d', [])
      .inIfAny('d', undefined)
      .in('e', [3, 4]);
    expect(conditions.where).toBe('WHERE a = ? AND c = ? AND e IN (?,?)');
    expect(conditions.parameters).toEqual([1, 2, 3, 4]);
    expect(new Conditions().where).toBe('');
    const more = new Conditions().add('f = ?', 5).and(conditions).and(new Conditions());
    expect(more.where).toBe('WHERE f = ? AND a = ? AND c = ? AND e IN (?,?)');
    expect(more.parameters).toEqual([5, 1, 2, 3, 4]);
  });

  it.each(['50%', 'a_b', '!', '100!%', 'plain'])('matches %s literally in a LIKE pattern', async (text) => {
    await inTransaction(async (manager) => {
      const id = await insertRow(manager, Note, { ...note, ownerId: 99, text: `before ${text} after` });
      await insertRow(manager, Note, { ...note, ownerId: 99, text: 'something else, x' });
      const found = await manager.query(
        "SELECT id FROM note WHERE id >= ? AND owner_id = 99 AND text LIKE ? ESCAPE '!'",
        [id, containsPattern(text)],
      );
      expect(found).toHaveLength(1);
    });
  });
});
