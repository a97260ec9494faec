import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { type DataSource } from 'typeorm';
import { FakeServer } from '../../../test/support/fake-server';
import { acceptsWrites } from '../connections/accepts-writes';
import { createDataSource } from '../connections/data-source';
import { Servers } from './servers';

const READ = 'SELECT 7 AS `mark`';
const WRITE = 'UPDATE mark SET n = 1';
const LOOKS_BETWEEN_CHECKS = 200;

describe(Servers.name, () => {
  let first: FakeServer;
  let second: FakeServer;
  let opened: DataSource[];
  let log: string[];

  beforeEach(async () => {
    // Without the clock, only what happens makes the process check its servers.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    log = [];
    for (const level of ['log', 'warn'] as const) {
      vi.spyOn(Logger.prototype, level).mockImplementation((line: unknown) => {
        // A service of an earlier suite may still report how many lines it has left out.
        if (typeof line === 'string') log.push(line);
      });
    }
    first = await new FakeServer().open();
    second = await new FakeServer().open();
    opened = [];
  });

  afterEach(async () => {
    for (const dataSource of opened) await dataSource.destroy();
    await first.close();
    await second.close();
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  const connect = async (servers = [first, second], onlyReads = false): Promise<DataSource> => {
    const DATABASE_URL = `mariadb://root@${servers.map(({ host }) => host).join(',')}/service`;
    const dataSource = createDataSource({ DATABASE_URL, DATABASE_POOL_SIZE: 5 }, [], onlyReads);
    await dataSource.initialize();
    opened.push(dataSource);
    return dataSource;
  };

  /** Lets the process check its servers, as it does every second. */
  const check = (): void => void vi.advanceTimersByTime(1000);

  const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await isSo())) await sleep(5);
  };

  /**
   * Lets the process check its servers, and waits until it has noticed something. A check is left out while the one before it is in progress:
   * now and then, there is another.
   */
  const untilNoticed = async (isSo: () => boolean): Promise<void> => {
    for (let look = 0; !isSo(); look++) {
      if (look % LOOKS_BETWEEN_CHECKS === 0) check();
      await sleep(5);
    }
  };

  /** Reads until a server answers. */
  const untilServedBy = (server: FakeServer, dataSource: DataSource): Promise<void> => {
    server.received = [];
    return until(async () => {
      await dataSource.query(READ).catch(() => undefined);
      return server.statements(READ).length > 0;
    });
  };

  it('starts with the first server that accepts writes', async () => {
    first.isReadOnly = true;
    const dataSource = await connect();
    await dataSource.query(READ);
    expect([first.statements(READ), second.statements(READ)]).toEqual([[], [READ]]);
    expect(log).toContain(`The database server ${first.host} is read-only: ${second.host} takes over`);
  });

  it('refuses to start without a writable server and names each reason', async () => {
    first.isReadOnly = true;
    await second.close();
    await expect(connect()).rejects.toThrow(
      new RegExp(
        `^No database server accepts writes: ${first.host} is read-only, ${second.host} has failed \\(connect ECONNREFUSED.*\\)\\.$`,
      ),
    );
  });

  it('reads from a read-only server when it needs only reads', async () => {
    first.isReadOnly = true;
    const dataSource = await connect([first, second], true);
    await dataSource.query(READ);
    expect(first.statements(READ)).toEqual([READ]);
  });

  it('switches from a server that becomes read-only, even when idle', async () => {
    const dataSource = await connect();
    first.isReadOnly = true;
    await untilNoticed(() => log.length > 0);
    await dataSource.query(READ);
    expect([first.statements(READ), second.statements(READ)]).toEqual([[], [READ]]);
    expect(log).toEqual([`The database server ${first.host} is read-only: ${second.host} takes over`]);
  });

  it.each([1290, 1792, 1836])('switches from a server that refuses a write with error %d', async (code) => {
    const dataSource = await connect();
    first.isReadOnly = true;
    first.errors.set('UPDATE', { code, message: 'read-only' });
    await expect(dataSource.query(WRITE)).rejects.toMatchObject({ errno: code });
    await untilServedBy(second, dataSource);
    await dataSource.query(WRITE);
    expect(second.statements(WRITE)).toEqual([WRITE]);
  });

  it('replaces its connections when its only server refuses a write as read-only', async () => {
    const dataSource = await connect([first]);
    const [before] = [...new Set(first.received.map(({ connection }) => connection))];
    first.errors.set('UPDATE', { code: 1290, message: 'read-only' });
    await expect(dataSource.query(WRITE)).rejects.toMatchObject({ errno: 1290 });
    first.errors.clear();
    first.received = [];
    await dataSource.query(WRITE);
    expect(first.received.every(({ connection }) => connection > (before as number))).toBe(true);
    expect(acceptsWrites(dataSource)).toBe(true);
  });

  it('serves reads from the last server in read-only sessions while none accepts writes', async () => {
    second.isReadOnly = true;
    const dataSource = await connect();
    await until(() => log.length === 1);
    first.isReadOnly = true;
    await untilNoticed(() => !acceptsWrites(dataSource));
    expect(log).toEqual([
      `The database server ${second.host} is read-only`,
      `The database server ${first.host} is read-only: no other accepts writes`,
    ]);
    first.received = [];
    await dataSource.query(READ);
    expect(first.statements().slice(-2)).toEqual(['SET SESSION TRANSACTION READ ONLY', READ]);

    log.length = 0;
    second.isReadOnly = false;
    await untilNoticed(() => acceptsWrites(dataSource));
    expect(log).toEqual([`The database server ${second.host} accepts writes: it takes over`]);
    await dataSource.query(WRITE);
    expect([first.statements(WRITE), second.statements(WRITE)]).toEqual([[], [WRITE]]);
  });

  it('refuses reads instead of using a replica that was read-only from the start', async () => {
    second.isReadOnly = true;
    const dataSource = await connect();
    await until(() => log.length === 1);
    await first.close();
    await untilNoticed(() => log.length === 2);
    expect(log[1]).toMatch(/has failed \(.*\): no other accepts writes$/);
    await expect(dataSource.query(READ)).rejects.toThrow();
    expect(second.statements(READ)).toEqual([]);
  });

  it('stays on the second server when the first comes back outside a cluster', async () => {
    const dataSource = await connect();
    await first.close();
    await untilServedBy(second, dataSource);
    await first.open();
    await untilNoticed(() => log.includes(`The database server ${first.host} works again`));
    await dataSource.query(READ);
    expect(first.statements(READ)).toEqual([]);
  });

  describe('with nodes of a cluster', () => {
    beforeEach(() => {
      first.cluster = 'one';
      second.cluster = 'one';
    });

    /** Returns a process that the second has served, and that the first has come back to. */
    const comeBack = async (before?: (dataSource: DataSource) => Promise<unknown>): Promise<DataSource> => {
      const dataSource = await connect();
      await first.close();
      await untilServedBy(second, dataSource);
      await before?.(dataSource);
      await first.open();
      check();
      await untilServedBy(first, dataSource);
      return dataSource;
    };

    it('returns to the first node when it comes back', async () => {
      await comeBack();
      expect(log.at(-1)).toBe(`The database server ${first.host} works again: it takes over`);
    });

    it('waits for commits of other nodes before the first statement of a connection', async () => {
      const dataSource = await connect();
      first.received = [];
      const queryRunners = [dataSource.createQueryRunner(), dataSource.createQueryRunner()];
      for (const queryRunner of queryRunners) await queryRunner.query(READ);
      const [, later] = first.received
        .map(({ connection }) => connection)
        .filter((one, index, all) => all.indexOf(one) === index);
      const statements = first.received
        .filter(({ connection }) => connection === later)
        .map(({ sql }) => sql);
      expect(statements.slice(-4)).toEqual([
        'SET SESSION wsrep_sync_wait = 1',
        'SELECT 1',
        'SET SESSION wsrep_sync_wait = DEFAULT',
        READ,
      ]);
      for (const queryRunner of queryRunners) await queryRunner.release();
    });

    it('waits again after a transaction on the previous node has committed', async () => {
      let finish = (): Promise<void> => Promise.resolve();
      const dataSource = await comeBack(async (source) => {
        const queryRunner = source.createQueryRunner();
        await queryRunner.startTransaction();
        await queryRunner.query(WRITE);
        finish = async () => {
          await queryRunner.commitTransaction();
          await queryRunner.release();
        };
      });
      await dataSource.query(READ);
      first.received = [];
      await dataSource.query(READ);
      expect(first.statements()).toEqual([READ]);

      await finish();
      expect(second.statements().slice(-1)).toEqual(['COMMIT']);
      first.received = [];
      await dataSource.query(READ);
      await dataSource.query(READ);
      expect(first.statements()).toEqual([
        'SET SESSION wsrep_sync_wait = 1',
        'SELECT 1',
        'SET SESSION wsrep_sync_wait = DEFAULT',
        READ,
        READ,
      ]);
    });

    it('serves nothing on a connection whose wait for commits has failed', async () => {
      const dataSource = await connect();
      await first.close();
      second.errors.set('SELECT 1', { code: 1205, message: 'Lock wait timeout exceeded' });
      await expect(
        until(async () => {
          await dataSource.query(READ);
          return false;
        }),
      ).rejects.toThrow();
      await expect(dataSource.query(READ)).rejects.toMatchObject({ errno: 1205 });
      expect(second.statements(READ)).toEqual([]);
      second.errors.clear();
      await dataSource.query(READ);
      expect(second.statements(READ)).toEqual([READ]);
    });

    it('stays on the second node while the first lacks its commits', async () => {
      const dataSource = await connect();
      await first.close();
      await untilServedBy(second, dataSource);
      first.isBehind = true;
      await first.open();
      await untilNoticed(() => first.statements('SELECT 1').length > 0);
      await dataSource.query(READ);
      expect(first.statements(READ)).toEqual([]);
    });
  });
});
