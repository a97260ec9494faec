import { type DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database';
import { itOnServer } from '../../../test/support/engines';
import { createDataSource } from '../connections/data-source';
import { MigrationLease } from './migration-lease';

const DURATION_MS = 60_000;
const RENEWAL_MS = DURATION_MS / 4;

describe(MigrationLease.name, () => {
  let database: TestDatabase;
  let dataSource: DataSource | undefined;
  let leases: Set<MigrationLease>;

  beforeEach(async () => {
    leases = new Set();
    database = await createTestDatabase();
    if (database.url === undefined) return;
    dataSource = await createDataSource(
      { DATABASE_URL: database.url, DATABASE_POOL_SIZE: 1 },
      [],
    ).initialize();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  });

  afterEach(async () => {
    vi.useRealTimers();
    for (const lease of leases) await close(lease);
    await dataSource?.destroy();
    await database.drop();
  });

  const open = async (duration = DURATION_MS): Promise<MigrationLease> => {
    const lease = await MigrationLease.open(dataSource as DataSource, duration);
    leases.add(lease);
    return lease;
  };

  const close = (lease: MigrationLease): Promise<void> => {
    leases.delete(lease);
    return lease.close();
  };

  /** Lets time pass and waits for the renewal of a lease. */
  const pass = async (lease: MigrationLease, milliseconds: number): Promise<void> => {
    vi.advanceTimersByTime(milliseconds);
    await (lease as unknown as { renewal?: Promise<void> }).renewal;
  };

  itOnServer('grants one holder at a time, until that holder closes it', async () => {
    const [one, other] = [await open(), await open()];
    expect([await one.take(), await other.take()]).toEqual([true, false]);
    expect([one.isHeld, other.isHeld]).toEqual([true, false]);
    await close(one);
    expect(await other.take()).toBe(true);
  });

  itOnServer('stays held when a renewal is due before the previous one has ended', async () => {
    const lease = await open();
    await lease.take();
    await pass(lease, 2 * RENEWAL_MS);
    expect(lease.isHeld).toBe(true);
  });

  itOnServer('stays lost after another holder has taken and released it', async () => {
    // A lease is identified by its end, which would be the same within a millisecond: the first one has not really expired.
    const [one, other] = [await open(), await open(2 * DURATION_MS)];
    await one.take();
    await dataSource?.query('UPDATE migration_lease SET expires = 0');
    expect(await other.take()).toBe(true);
    await pass(one, RENEWAL_MS);
    expect(one.isHeld).toBe(false);
    await close(other);
    await pass(one, RENEWAL_MS);
    expect(await (await open()).take()).toBe(true);
  });
});
