import { type NestExpressApplication } from '@nestjs/platform-express';
import { type AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { createDataSource } from '../../src/database/connections/data-source';
import { TransactionsService } from '../../src/database/transactions/transactions.service';
import { FirstStartService } from '../../src/first-start/first-start.service';
import { ApiClient } from '../support/api';
import { type Applications, useApplications } from '../support/applications';
import { onEachServer } from '../support/database';
import { openLine } from '../support/outage';
import { changeTeamsAtRandom, wrongMemberships } from '../support/team-changes';

const ADMIN_KEY = 'key-of-the-administrator-of-the-cluster-0123456789';
const RACES = 10;
const MAX_API_KEYS = 100;
const TEAM_ROUNDS = 30;

/** Only a cluster has several nodes, which `TEST_DATABASE_URL` lists separated by commas. */
const onCluster = process.env.TEST_DATABASE_URL?.includes(',') ? describe : describe.skip;

onCluster('the service on two nodes of a cluster', () => {
  const applications = useApplications();

  it('keeps every acknowledged transaction of unprepared statements', async () => {
    const sources = await Promise.all(
      nodesOf(applications).map((url) =>
        createDataSource({ DATABASE_URL: url, DATABASE_POOL_SIZE: 6 }, []).initialize(),
      ),
    );
    const [first] = sources as [DataSource];
    await first.query('CREATE TABLE counter (id int PRIMARY KEY, n int NOT NULL) ENGINE=InnoDB');
    await first.query(
      'CREATE TABLE step (id bigint AUTO_INCREMENT PRIMARY KEY, name varchar(30)) ENGINE=InnoDB',
    );
    await first.query('INSERT INTO counter VALUES (1, 0)');
    const write = async (dataSource: DataSource, name: string): Promise<void> => {
      const transactions = new TransactionsService(dataSource);
      for (let round = 0; round < 30; round++) {
        const fresh = `/* ${name} ${round} */`;
        await transactions.run(async (manager) => {
          await manager.query(`UPDATE counter SET n = n + ? WHERE id = ? ${fresh}`, [1, 1]);
          await manager.query(`INSERT INTO step (name) VALUES (?) ${fresh}`, [`${name} ${round}`]);
          await manager.query(`SELECT COUNT(*) FROM step WHERE id > ? ${fresh}`, [5]);
        });
      }
    };
    await Promise.all(
      sources.flatMap((source, node) => [0, 1, 2].map((writer) => write(source, `${node} ${writer}`))),
    );
    const total = sources.length * 3 * 30;
    const [counted] = await first.query<[{ n: number }]>('SELECT n FROM counter');
    const [steps] = await first.query<[{ rows: number; names: number }]>(
      'SELECT COUNT(*) AS `rows`, COUNT(DISTINCT name) AS names FROM step',
    );
    expect([counted.n, steps.rows, steps.names]).toEqual([total, total, total]);
    await Promise.all(sources.map((source) => source.destroy()));
  }, 120_000);

  it('reads the acknowledged writes of a lost node on the other', async () => {
    const [url = '', other = ''] = onEachServer(applications.database.url);
    const first = await createDataSource({ DATABASE_URL: url, DATABASE_POOL_SIZE: 1 }, []).initialize();
    await first.query('CREATE TABLE filler (id int PRIMARY KEY) ENGINE=InnoDB');
    await first.query('CREATE TABLE seen (id int PRIMARY KEY) ENGINE=InnoDB');
    // The other node applies this first, which takes it a second.
    await first.query('INSERT INTO filler SELECT seq FROM seq_1_to_1000000');
    await first.query('INSERT INTO seen VALUES (1)');
    const line = await openLine(url);
    const lost = line.host;
    await line.close();
    const DATABASE_URL = other.replace(new URL(other).host, (host) => `${lost},${host}`);
    const second = await createDataSource({ DATABASE_URL, DATABASE_POOL_SIZE: 1 }, []).initialize();
    expect(await second.query('SELECT id FROM seen')).toEqual([{ id: 1 }]);
    await Promise.all([first.destroy(), second.destroy()]);
  }, 60_000);

  it('reads what the other node commits after the return to the first', async () => {
    const [url = '', other = ''] = onEachServer(applications.database.url);
    const line = await openLine(url);
    const DATABASE_URL = other.replace(new URL(other).host, (host) => `${line.host},${host}`);
    const source = await createDataSource({ DATABASE_URL, DATABASE_POOL_SIZE: 2 }, []).initialize();
    await source.query('CREATE TABLE filler (id int PRIMARY KEY) ENGINE=InnoDB');
    await source.query('CREATE TABLE seen (id int PRIMARY KEY) ENGINE=InnoDB');
    const portOf = async (): Promise<number> =>
      (await source.query<[{ port: number }]>('SELECT @@port AS port'))[0].port;
    const untilServedBy = async (node: string): Promise<void> => {
      while ((await portOf().catch(() => 0)) !== Number(new URL(node).port)) await setTimeout(20);
    };
    await line.cut();
    await untilServedBy(other);
    const queryRunner = source.createQueryRunner();
    await queryRunner.startTransaction();
    await queryRunner.query('INSERT INTO seen VALUES (1)');
    await line.restore();
    await untilServedBy(url);
    // The first node applies this before it, which takes it a second.
    const direct = await createDataSource({ DATABASE_URL: other, DATABASE_POOL_SIZE: 1 }, []).initialize();
    await direct.query('INSERT INTO filler SELECT seq FROM seq_1_to_1000000');
    await queryRunner.commitTransaction();
    await queryRunner.release();
    expect(await source.query('SELECT id FROM seen')).toEqual([{ id: 1 }]);
    await Promise.all([source.destroy(), direct.destroy(), line.close()]);
  }, 60_000);

  describe('with a process on each node', () => {
    let apis: [ApiClient, ApiClient];
    let dataSource: DataSource;
    let keyed: (apiKey: string) => [ApiClient, ApiClient];

    beforeEach(async () => {
      const started: NestExpressApplication[] = [];
      for (const url of nodesOf(applications).slice(0, 2)) {
        const app = await applications.create({ DATABASE_URL: url, ADMIN_API_KEY: ADMIN_KEY });
        await app.get(FirstStartService).run();
        await app.listen(0, '127.0.0.1');
        started.push(app);
      }
      dataSource = (started[0] as NestExpressApplication).get(DataSource);
      const bases = started.map((app) => {
        const { port } = app.getHttpServer().address() as AddressInfo;
        return `http://127.0.0.1:${port}/api/v2`;
      });
      keyed = (apiKey) => bases.map((base) => new ApiClient(base, apiKey)) as [ApiClient, ApiClient];
      apis = keyed(ADMIN_KEY);
    }, 60_000);

    /** Sends one request to each node at the same time. */
    const race = (
      one: (api: ApiClient) => Promise<{ status: number }>,
      other: (api: ApiClient) => Promise<{ status: number }>,
    ): Promise<number[]> =>
      Promise.all([one(apis[0]), other(apis[1])].map(async (answer) => (await answer).status));

    const addUser = async (userId: string, roleType: number): Promise<number> => {
      const { body } = await apis[0].post<{ id: number }>('/users', {
        userId,
        password: 'a long password',
        name: userId,
        mailAddress: `${userId}@example.com`,
        roleType,
      });
      return body.id;
    };

    it('keeps one of two Administrators who demote each other', async () => {
      for (let round = 0; round < RACES; round++) {
        const own = (await apis[0].get<{ id: number }>('/users/myself')).body.id;
        const id = await addUser(`admin${round}`, 1);
        const { body } = await apis[0].post<{ key: string }>(`/users/${id}/apiKeys`, { name: 'key' });
        const [, theirs] = keyed(body.key);
        const statuses = await Promise.all([
          apis[0].patch(`/users/${id}`, { roleType: 2 }),
          theirs.patch(`/users/${own}`, { roleType: 2 }),
        ]);
        const won = statuses.map(({ status }) => status);
        expect(won.filter((status) => status === 200).length).toBeLessThan(2);
        // The remaining Administrator restores the previous state.
        if (won[1] === 200) await theirs.patch(`/users/${own}`, { roleType: 1 });
        await apis[0].delete(`/users/${id}`);
      }
    }, 120_000);

    it('accepts one of two parent changes that would form a cycle', async () => {
      const project = (await apis[0].post<{ id: number }>('/projects', { key: 'LOOP', name: 'Loop' })).body;
      const types = await apis[0].get<{ id: number }[]>('/projects/LOOP/issueTypes');
      const addIssue = async (): Promise<number> => {
        const issue = { projectId: project.id, issueTypeId: types.body[0]?.id, priorityId: 3, summary: 'x' };
        return (await apis[0].post<{ id: number }>('/issues', issue)).body.id;
      };
      for (let round = 0; round < RACES; round++) {
        const [one, other] = [await addIssue(), await addIssue()];
        const statuses = await race(
          (api) => api.patch(`/issues/${one}`, { parentIssueId: other }),
          (api) => api.patch(`/issues/${other}`, { parentIssueId: one }),
        );
        expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      }
    }, 120_000);

    it('limits the API keys of a user to 100', async () => {
      const id = await addUser('keys', 2);
      const add = (api: ApiClient): Promise<{ status: number }> =>
        api.post(`/users/${id}/apiKeys`, { name: 'key' });
      for (let count = 0; count < MAX_API_KEYS - 5; count++) await add(apis[0]);
      const statuses: number[] = [];
      for (let round = 0; round < RACES; round++) statuses.push(...(await race(add, add)));
      expect(statuses.filter((status) => status === 201)).toHaveLength(5);
      expect((await apis[0].get<unknown[]>(`/users/${id}/apiKeys`)).body).toHaveLength(MAX_API_KEYS);
    }, 120_000);

    it('keeps project members consistent with random changes of teams', async () => {
      const people = new Map<string, number>();
      for (let number = 0; number < 8; number++)
        people.set(`robin${number}`, await addUser(`robin${number}`, 2));
      const missing = await changeTeamsAtRandom(apis, people, TEAM_ROUNDS, async () => {
        expect(await wrongMemberships(dataSource)).toEqual([]);
      });
      expect(missing).toEqual([]);
    }, 120_000);

    it('gives distinct keys to 40 simultaneously added issues', async () => {
      const project = (await apis[0].post<{ id: number }>('/projects', { key: 'NUM', name: 'Numbers' })).body;
      const types = await apis[0].get<{ id: number }[]>('/projects/NUM/issueTypes');
      const add = (api: ApiClient) =>
        api.post<{ issueKey: string }>('/issues', {
          projectId: project.id,
          issueTypeId: types.body[0]?.id,
          priorityId: 3,
          summary: 'x',
        });
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, index) => add(apis[index % 2] as ApiClient)),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
      const keys = new Set(answers.map(({ body }) => body.issueKey));
      expect(keys.size).toBe(40);
      const { body } = await apis[1].get<{ count: number }>(`/issues/count?projectId[]=${project.id}`);
      expect(body.count).toBe(40);
    }, 120_000);
  });
});

/** Returns the `DATABASE_URL` of the tests' database on each node; reads wait for the commits of the other nodes. */
const nodesOf = ({ database }: Applications): string[] =>
  onEachServer(database.url).map((url) => `${url}?wsrep-sync-wait=1`);
