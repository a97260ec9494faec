import { get } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { ClientGoneError } from '../../src/http/server/client-signal';
import { UserTurns } from '../../src/event-loop/user-turns';
import { keywordSearchRunner, unindexedListRunner } from '../../src/database/search/searches';
import { addIssue } from '../support/issues';
import { statementsOf } from '../support/records';
import { errorShape } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';
import { isEmbedded, itOnEmbedded } from '../support/engines';

/** Maximum number of concurrent searches: two, or a third of the connections. */
const AT_ONCE = 2;
const ENDLESS = isEmbedded
  ? `WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
      SELECT x FROM n WHERE CASE WHEN search_continues() THEN x < 0 END`
  : `SELECT COUNT(*) FROM information_schema.COLLATIONS a, information_schema.COLLATIONS b,
      information_schema.COLLATIONS c WHERE SHA2(CONCAT(a.id, b.id, c.id), 512) = 'x'`;

describe('the limit of simultaneous searches', () => {
  const tested = useWorld({ DATABASE_POOL_SIZE: '6' });
  let project: ProjectFixture;
  let member: Person;

  beforeAll(async () => {
    project = await tested.world.addProject();
    member = await tested.world.addMember(project);
    await addIssue(member, project, { summary: 'A needle' });
  });

  const PATHS = ['/issues?keyword=needle', '/issues/count?keyword=needle'];
  const wikis = (): string => `/wikis?projectIdOrKey=${project.key}&keyword=home`;

  /** Runs `work` while all slots are taken. */
  const whileBusy = async (work: () => Promise<void>, runnerOf = keywordSearchRunner): Promise<void> => {
    const controller = new AbortController();
    const endless = Array.from({ length: AT_ONCE }, (_, index) =>
      runnerOf(tested.world.dataSource, { userId: -index, signal: controller.signal })
        .query(ENDLESS)
        .catch(() => undefined),
    );
    try {
      await work();
    } finally {
      controller.abort();
      await Promise.all(endless);
    }
  };

  const until = async (condition: () => boolean): Promise<void> => {
    while (!condition()) await setImmediate();
  };

  it('queues further searches without delaying other requests', async () => {
    const { world } = tested;
    let searches: Promise<{ status: number; body: unknown }[]> | undefined;
    await whileBusy(async () => {
      let isOver = false;
      searches = Promise.all([...PATHS, wikis()].map((path) => member.api.get(path)));
      void searches.then(() => (isOver = true));
      expect((await fetch(`${new URL(world.server.baseUrl).origin}/health/live`)).status).toBe(200);
      expect((await member.api.get('/issues')).status).toBe(200);
      expect((await member.api.post(`/issues/${project.issueKey}/comments`, { content: 'x' })).status).toBe(
        201,
      );
      expect(isOver).toBe(false);
    });
    expect((await searches)?.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('answers 429 beyond ten queued searches per user, and drops those of disconnected clients', async () => {
    const { world } = tested;
    const turns = vi.spyOn(UserTurns.prototype, 'run');
    let answer: Promise<{ status: number }> | undefined;
    const statements = await statementsOf(world, () =>
      whileBusy(async () => {
        turns.mockClear();
        // Not `fetch`, which opens another connection when one is lost.
        const requests = Array.from({ length: 10 }, () =>
          get(`${world.server.baseUrl}${PATHS[0]}`, {
            agent: false,
            headers: { 'X-API-Key': member.key },
          }).on('error', () => undefined),
        );
        await until(() => turns.mock.calls.length === 10);
        const refused = await member.api.get(wikis());
        expect(refused.status).toBe(429);
        expect(refused.body).toEqual(errorShape(13));
        expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
        for (const request of requests) request.destroy();
        const given = turns.mock.results.slice(0, 10).map(({ value }) => value as Promise<unknown>);
        for (const one of given) await expect(one).rejects.toBeInstanceOf(ClientGoneError);
        answer = member.api.get(wikis());
        await until(() => turns.mock.calls.length === 12);
      }),
    );
    expect((await answer)?.status).toBe(200);
    expect(statements.filter((sql) => /needle|i\.description/.test(sql))).toEqual([]);
    turns.mockRestore();
  });

  itOnEmbedded('queues lists without an index separately, without delaying other requests', async () => {
    let lists: Promise<{ status: number }[]> | undefined;
    await whileBusy(async () => {
      let isOver = false;
      lists = Promise.all(
        ['/issues?sort=summary', '/issues?attachment=true', '/issues/count?hasDueDate=false'].map((path) =>
          member.api.get(path),
        ),
      );
      void lists.then(() => (isOver = true));
      for (const path of [...PATHS, wikis(), '/issues?sort=updated', '/issues/count']) {
        expect([path, (await member.api.get(path)).status]).toEqual([path, 200]);
      }
      expect(isOver).toBe(false);
    }, unindexedListRunner);
    expect((await lists)?.map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});
