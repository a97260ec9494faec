import { type AddressInfo } from 'node:net';
import { type Type } from '@nestjs/common';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { DataSource, type EntityManager } from 'typeorm';
import { TransactionsService } from '../../src/database/transactions/transactions.service';
import { RepairRefusedError } from '../../src/doctor/repairs/repair';
import { usedStorage } from '../../src/doctor/repairs/used-storage.repair';
import { FirstStartService } from '../../src/first-start/first-start.service';
import { type Services } from '../../src/services';
import { SHARDS, UsedStorageRepository } from '../../src/space/data/used-storage.repository';
import { UsedStorageService } from '../../src/space/used-storage.service';
import { ApiClient } from '../support/api';
import { useApplications } from '../support/applications';
import { onEachServer } from '../support/database';
import { describeOnServer } from '../support/engines';
import { usedBytes } from '../support/records';
import { errorShape } from '../support/shapes';
import { useWorld } from '../support/world';

const ADMIN_KEY = 'key-of-the-administrator-of-two-processes-0123456789';
const GIB = 1024 ** 3;
const SIZE = 10;
const UPLOADS = 20;

describe('the used storage', () => {
  const CAPACITY = 3 * GIB;
  const tested = useWorld({ SPACE_CAPACITY: String(CAPACITY) });

  const countBefore = (bytes: number): Promise<unknown> =>
    tested.world.dataSource.query('UPDATE space SET used_bytes = ?', [bytes]);

  it('includes the bytes that earlier versions counted', async () => {
    const { world } = tested;
    const before = await usedBytes(world);
    await countBefore(CAPACITY - before - SIZE);
    const tooLarge = await world.admin.api.upload('x'.repeat(SIZE + 1));
    expect([tooLarge.status, tooLarge.body]).toEqual([413, errorShape(8)]);
    expect((await world.admin.api.upload('x'.repeat(SIZE))).status).toBe(200);
    expect(await usedBytes(world)).toBe(CAPACITY);
    expect((await world.admin.api.upload('x')).status).toBe(413);
    await countBefore(0);
    expect(await usedBytes(world)).toBe(before + SIZE);
  });

  it('equals the sum of its shards, some of which may be negative', async () => {
    const { world } = tested;
    const before = await usedBytes(world);
    const add = (shard: number, bytes: number): Promise<void> =>
      world.write((manager) => world.service(UsedStorageRepository).add(manager, shard, bytes));
    await add(0, 2 ** 40);
    await add(SHARDS - 1, 5);
    await add(SHARDS - 1, 6);
    await add(0, -(2 ** 40));
    await add(1, -1);
    expect(await usedBytes(world)).toBe(before + 10);
    expect(await world.service(UsedStorageService).findRoom()).toBe(CAPACITY - before - 10);
  });
});

describe('the repair of the used storage', () => {
  const applications = useApplications();

  it('corrects exactly once when two run at once with an upload in between', async () => {
    const app = await applications.create({ ADMIN_API_KEY: ADMIN_KEY });
    await app.get(FirstStartService).run();
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    const api = new ApiClient(`http://127.0.0.1:${port}/api/v2`, ADMIN_KEY);
    const upload = async (): Promise<void> => expect((await api.upload('x'.repeat(SIZE))).status).toBe(200);
    await upload();
    await app.get(DataSource).query('UPDATE space SET used_bytes = 1000');

    let waiting = 0;
    let go = (): void => undefined;
    const isGoing = new Promise<void>((resolve) => (go = resolve));
    const transactions = {
      run: async (work: (manager: EntityManager) => Promise<unknown>): Promise<unknown> => {
        if (++waiting === 2) {
          await upload();
          go();
        }
        await isGoing;
        return app.get(TransactionsService).run(work);
      },
    };
    const services = ((type: Type) =>
      type === TransactionsService ? transactions : app.get<unknown>(type)) as Services;
    const outcomes = await Promise.allSettled([
      usedStorage.fix(services, null),
      usedStorage.fix(services, null),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes).toContainEqual({
      status: 'rejected',
      reason: expect.any(RepairRefusedError) as unknown,
    });
    expect(await app.get(UsedStorageRepository).sum()).toBe(2 * SIZE);
    expect(await usedStorage.fix(services, null)).toBe(false);

    // Another correction, of a shard that has a row.
    await app.get(DataSource).query('UPDATE space SET used_bytes = 0');
    expect(await usedStorage.fix(services, null)).toBe(true);
    expect(await app.get(UsedStorageRepository).sum()).toBe(2 * SIZE);
  });
});

describeOnServer('the storage shared by two processes', () => {
  const applications = useApplications();
  let apps: NestExpressApplication[];
  let apis: ApiClient[];

  /** Starts two processes: on a cluster, each on its own node. */
  const start = async (capacity: number, urls = onEachServer(applications.database.url)): Promise<void> => {
    const wait = urls.length > 1 ? '?wsrep-sync-wait=1' : '';
    apps = [];
    for (let index = 0; index < 2; index++) {
      const app = await applications.create({
        DATABASE_URL: `${urls[index % urls.length]}${wait}`,
        ADMIN_API_KEY: ADMIN_KEY,
        SPACE_CAPACITY: String(capacity),
        MAX_USER_REQUESTS: '0',
      });
      await app.get(FirstStartService).run();
      await app.listen(0, '127.0.0.1');
      // At random, both could have the same one.
      Object.assign(app.get(UsedStorageService), { shard: index });
      apps.push(app);
    }
    apis = apps.map((app) => {
      const { port } = app.getHttpServer().address() as AddressInfo;
      return new ApiClient(`http://127.0.0.1:${port}/api/v2`, ADMIN_KEY);
    });
  };

  const used = (): Promise<number> => (apps[0] as NestExpressApplication).get(UsedStorageRepository).sum();

  const uploadAtOnce = async (): Promise<number> => {
    const answers = await Promise.all(
      apis.flatMap((api) => Array.from({ length: UPLOADS }, () => api.upload('x'.repeat(SIZE)))),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200 && status !== 413)).toEqual([]);
    return statuses.filter((status) => status === 200).length;
  };

  it('counts uploads of both at once without waiting', async () => {
    await start(0);
    const [first, second] = apps as [NestExpressApplication, NestExpressApplication];
    await first.get(TransactionsService).run(async (manager) => {
      await first.get(UsedStorageService).take(manager, SIZE);
      expect((await apis[1]?.upload('x'.repeat(SIZE)))?.status).toBe(200);
    });
    expect(await used()).toBe(2 * SIZE);
    const shards = await second
      .get(DataSource)
      .query<{ bytes: number }[]>('SELECT bytes FROM used_storage ORDER BY shard');
    expect(shards.map(({ bytes }) => bytes)).toEqual([SIZE, SIZE]);
  });

  it('fills to the last byte and no further', async () => {
    await start(SIZE * UPLOADS + SIZE / 2);
    expect(await uploadAtOnce()).toBe(UPLOADS);
    expect(await used()).toBe(SIZE * UPLOADS);
  });

  it('exceeds the capacity by at most one upload per process', async () => {
    const capacity = 3 * GIB;
    // On two nodes, one may also miss what it has not applied yet.
    await start(capacity, [applications.database.url]);
    const [app] = apps as [NestExpressApplication];
    for (const each of apps) Object.assign(each.get(UsedStorageService), { lastUsed: 0 });
    await app.get(DataSource).query('UPDATE space SET used_bytes = ?', [capacity - SIZE * 2]);
    const stored = await uploadAtOnce();
    expect(stored).toBeGreaterThanOrEqual(2);
    expect(stored).toBeLessThanOrEqual(2 + apps.length);
    expect(await used()).toBe(capacity + SIZE * (stored - 2));
  });
});
