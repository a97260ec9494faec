import { type DataSource, Entity } from 'typeorm';
import { openSqlite, TemporaryFolder } from '../../../test/support/sqlite';
import { eventually } from '../../../test/support/webhooks';
import { loopTurns } from '../../event-loop/loop-turns';
import { LongTextColumn, PrimaryId } from '../schema/columns';
import { LongReads } from './long-reads';

@Entity('note')
class Note {
  @PrimaryId()
  id: number;

  @LongTextColumn()
  content: string;
}

const LONG = 'あ'.repeat(100_000);
const CONTENTS = 'SELECT n.id AS id, n.`content` AS `content` FROM note n ORDER BY n.id';

describe(LongReads.name, () => {
  let folder: TemporaryFolder;
  let dataSource: DataSource;

  beforeEach(async () => {
    folder = new TemporaryFolder();
    dataSource = await openSqlite(folder.file('test.db'), { entities: [Note] });
    await dataSource.query('CREATE TABLE note (id INTEGER PRIMARY KEY AUTOINCREMENT, content mediumtext)');
    for (let number = 0; number < 3; number++) await insert(LONG);
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    if (dataSource.isInitialized) await dataSource.destroy();
    folder.remove();
  });

  const insert = (content: string): Promise<unknown> =>
    dataSource.query('INSERT INTO note (content) VALUES (?)', [content]);
  const ids = async (): Promise<number[]> => (await dataSource.query<Note[]>(CONTENTS)).map(({ id }) => id);

  /** Lets each pause of the event loop wait until it is ended. */
  const holdPauses = (): (() => void)[] => {
    const pauses: (() => void)[] = [];
    vi.spyOn(loopTurns, 'pause').mockImplementation(
      () => new Promise<void>((resolve) => void pauses.push(resolve)),
    );
    return pauses;
  };

  /** Starts a long read and resolves when it pauses after its first row; later statements do not pause. */
  const pausedRead = async (): Promise<{ read: Promise<number[]>; proceed: () => void }> => {
    const pauses = holdPauses();
    const read = ids();
    const nextPause = (): Promise<unknown> =>
      eventually(
        () => Promise.resolve(pauses.length),
        (count) => count === 1,
      );
    await nextPause();
    // That of every statement.
    pauses.pop()?.();
    await nextPause();
    vi.mocked(loopTurns.pause).mockReturnValue(undefined);
    return { read, proceed: () => pauses.pop()?.() };
  };

  it('returns long texts unchanged', async () => {
    await insert('short');
    expect(await dataSource.query(CONTENTS)).toEqual([
      ...[1, 2, 3].map((id) => ({ id, content: LONG })),
      { id: 4, content: 'short' },
    ]);
  });

  it('gives other work its turn after each row', async () => {
    const pause = vi.spyOn(loopTurns, 'pause');
    await ids();
    // The first is that of every statement.
    expect(pause).toHaveBeenCalledTimes(4);
  });

  it('pauses for no short texts', async () => {
    const pause = vi.spyOn(loopTurns, 'pause');
    await insert('short');
    pause.mockClear();
    const sql = 'SELECT n.`content` AS `content` FROM note n WHERE n.id > 3';
    expect(await dataSource.query(sql)).toEqual([{ content: 'short' }]);
    expect(pause).toHaveBeenCalledTimes(1);
  });

  it('reads what was committed during an earlier long read', async () => {
    const earlier = await pausedRead();
    await insert(LONG);
    const later = ids();
    earlier.proceed();
    expect(await earlier.read).toEqual([1, 2, 3]);
    expect(await later).toEqual([1, 2, 3, 4]);
  });

  it('serves short reads and writes during a long read', async () => {
    const long = await pausedRead();
    await insert('short');
    expect(await dataSource.query('SELECT COUNT(*) AS count FROM note')).toEqual([{ count: 4 }]);
    long.proceed();
    expect(await long.read).toEqual([1, 2, 3]);
  });

  it('refuses a read that waits too long for an earlier one', async () => {
    await dataSource.destroy();
    dataSource = await openSqlite(folder.file('test.db'), { entities: [Note], busyTimeout: 20 });
    const long = await pausedRead();
    await expect(ids()).rejects.toThrow('connection for long reads was not free within 20 ms');
    long.proceed();
    expect(await long.read).toEqual([1, 2, 3]);
  });

  it('fails if the database is closed before its end', async () => {
    const long = await pausedRead();
    const end = expect(long.read).rejects.toThrow();
    await dataSource.destroy();
    long.proceed();
    await end;
  });

  it('opens its connection again after the database was closed', async () => {
    await ids();
    await dataSource.destroy();
    await dataSource.initialize();
    expect(await ids()).toEqual([1, 2, 3]);
  });
});
