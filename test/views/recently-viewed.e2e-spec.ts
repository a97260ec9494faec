import { setTimeout as sleep } from 'node:timers/promises';
import { BackgroundService } from '../../src/background/background.service';
import { TransactionsService } from '../../src/database/transactions/transactions.service';
import { UsersService } from '../../src/users/users.service';
import { RecentlyViewedRepository } from '../../src/views/data/recently-viewed.repository';
import { ViewKind } from '../../src/views/view-kind';
import { ViewsService } from '../../src/views/views.service';
import { itOnEmbedded, itOnServer } from '../support/engines';
import { addIssue } from '../support/issues';
import { statementsOf, writesOf } from '../support/records';
import { expectRefused } from '../support/refusals';
import { aTimestamp } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

const KEPT = 100;

describe('the list of recently viewed items', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let viewer: Person;

  beforeEach(async () => {
    project = await tested.world.addProject();
    viewer = await tested.world.addMember(project);
  });

  const views = (): ViewsService => tested.world.service(ViewsService);
  const list = async <Item>(what: 'Issues' | 'Projects' | 'Wikis', query = '', person = viewer) => {
    const answer = await person.api.get<(Item & { updated: string })[]>(
      `/users/myself/recentlyViewed${what}${query}`,
    );
    expect(answer.status).toBe(200);
    return answer.body;
  };
  const issues = async (query = '', person = viewer): Promise<number[]> =>
    (await list<{ issue: { id: number } }>('Issues', query, person)).map(({ issue }) => issue.id);
  const rowsOf = async (person: Person): Promise<number> => {
    const [row] = await tested.world.dataSource.query<[{ count: number | string }]>(
      'SELECT COUNT(*) AS count FROM recently_viewed WHERE user_id = ?',
      [person.id],
    );
    return Number(row.count);
  };

  it('contains the issues, projects and wiki pages shown to the caller', async () => {
    const { world } = tested;
    expect([await list('Issues'), await list('Projects'), await list('Wikis')]).toEqual([[], [], []]);
    await viewer.api.patch(`/wikis/${project.wikiId}`, { name: '[guide] Home' });
    const issue = (await viewer.api.get(`/issues/${project.issueKey}`)).body;
    const shown = (await viewer.api.get(`/projects/${project.id}`)).body;
    const wiki = (await viewer.api.get<Record<string, unknown>>(`/wikis/${project.wikiId}`)).body;
    const { content: _, attachments: __, sharedFiles: ___, stars: ____, ...page } = wiki;
    const expectAll = async (): Promise<void> => {
      expect(await list('Issues')).toEqual([{ issue, updated: aTimestamp }]);
      expect(await list('Projects')).toEqual([{ project: shown, updated: aTimestamp }]);
      expect(await list('Wikis')).toEqual([{ page, updated: aTimestamp }]);
    };
    // Immediately, and after they have been written.
    await expectAll();
    await views().flush();
    expect(await rowsOf(viewer)).toBe(3);
    await expectAll();
    expect(await issues('', world.admin)).toEqual([]);
    // A refused item does not count as viewed.
    const stranger = await world.addUser();
    expect((await stranger.api.get(`/issues/${project.issueKey}`)).status).toBe(404);
    await views().flush();
    expect(await rowsOf(stranger)).toBe(0);
  });

  it('returns each item once in the order of viewing, in pages', async () => {
    const added = [];
    for (let number = 0; number < 4; number++) added.push((await addIssue(viewer, project)).id);
    const [first, second, third, fourth] = added as [number, number, number, number];
    for (const id of [first, second, third]) await viewer.api.get(`/issues/${id}`);
    await views().flush();
    // Times within one millisecond have no order once they are written.
    await tested.world.dataSource.query('UPDATE recently_viewed SET viewed = subject_id WHERE user_id = ?', [
      viewer.id,
    ]);
    for (const id of [fourth, first]) await viewer.api.get(`/issues/${id}`);
    expect(await issues()).toEqual([first, fourth, third, second]);
    expect(await issues('?order=asc')).toEqual([second, third, fourth, first]);
    expect(await issues('?count=2&offset=1')).toEqual([fourth, third]);
    const page = await viewer.api.get('/users/myself/recentlyViewedIssues?count=2');
    expect(page.headers.get('link')).toContain('offset=2');
    await views().flush();
    expect(await rowsOf(viewer)).toBe(4);
    expect((await viewer.api.get('/users/myself/recentlyViewedIssues?count=101')).status).toBe(400);
  });

  it('omits deleted items and items that the caller can no longer see', async () => {
    const { world } = tested;
    const elsewhere = await world.addProject();
    await world.join(elsewhere, viewer);
    const gone = await addIssue(viewer, project);
    for (const key of [elsewhere.issueKey, gone.issueKey, project.issueKey]) {
      await viewer.api.get(`/issues/${key}`);
    }
    await viewer.api.get(`/projects/${elsewhere.key}`);
    await viewer.api.get(`/wikis/${elsewhere.wikiId}`);
    await world.admin.api.delete(`/issues/${gone.issueKey}`);
    await world.admin.api.delete(`/projects/${elsewhere.key}/users`, { userId: viewer.id });
    const check = async (): Promise<void> => {
      expect(await issues()).toEqual([project.issueId]);
      expect([await list('Projects'), await list('Wikis')]).toEqual([[], []]);
    };
    await check();
    await views().flush();
    await check();
  });

  itOnEmbedded('finds its items by primary key', async () => {
    const { dataSource } = tested.world;
    const ids = Array.from({ length: KEPT }, (_, index) => index + 1);
    await dataSource.query(
      `INSERT INTO recently_viewed (user_id, kind, subject_id, project_id, viewed) VALUES ${ids
        .flatMap((id) => [ViewKind.Issue, ViewKind.WikiPage].map((kind) => `(?, ${kind}, ${id}, 1, ${id})`))
        .join(', ')}`,
      ids.flatMap(() => [viewer.id, viewer.id]),
    );
    const planOf = async (work: () => Promise<unknown>, select: string): Promise<string> => {
      const sql = (await statementsOf(tested.world, work)).find((one) => one.includes('project_member w'));
      expect(sql).toContain(select);
      const steps = await dataSource.query<{ detail: string }[]>(`EXPLAIN QUERY PLAN ${sql}`);
      return steps.map(({ detail }) => detail).join('; ');
    };
    const byId = 'USING INTEGER PRIMARY KEY (rowid=?)';
    expect(await planOf(() => list('Issues'), 'FROM issue i')).toContain(`SEARCH i ${byId}`);
    expect(await planOf(() => list('Wikis'), 'wiki')).toContain(`SEARCH wiki ${byId}`);
  });

  it('stores views in the background and in batches', async () => {
    const { world } = tested;
    const paths = [`/issues/${project.issueKey}`, `/projects/${project.key}`, `/wikis/${project.wikiId}`];
    for (const path of [...paths, '/users/myself/recentlyViewedIssues']) {
      await viewer.api.get(path);
      expect(await writesOf(world, () => viewer.api.get(path))).toEqual([]);
    }
    // Many views at once are written as one batch of a few statements.
    for (let id = 1; id <= 150; id++) views().note(viewer, ViewKind.Issue, { id, projectId: project.id });
    const written: string[] = [];
    const { logger } = world.dataSource;
    const spy = vi.spyOn(logger, 'logQuery').mockImplementation((sql) => void written.push(sql));
    await views().flush();
    spy.mockRestore();
    expect(written.filter((sql) => sql.includes('recently_viewed')).length).toBeLessThanOrEqual(3);
  });

  it('keeps the newest 100 views per kind and user', async () => {
    const other = await tested.world.addMember(project);
    for (let id = 1; id <= KEPT + 20; id++) {
      views().note(viewer, ViewKind.Issue, { id: 1_000_000 + id, projectId: project.id });
    }
    views().note(viewer, ViewKind.Project, { id: project.id, projectId: project.id });
    views().note(other, ViewKind.Issue, { id: project.issueId, projectId: project.id });
    await views().flush();
    expect([await rowsOf(viewer), await rowsOf(other)]).toEqual([KEPT + 1, 1]);
  });

  itOnServer('keeps 100 views when two processes write at once', async () => {
    const { world } = tested;
    const repository = world.service(RecentlyViewedRepository);
    const newProcess = (): ViewsService => {
      const service = new ViewsService(
        new BackgroundService(),
        repository,
        world.service(TransactionsService),
        world.service(UsersService),
      );
      service.setProjectFinder(() => Promise.resolve([project.id]));
      return service;
    };
    const [one, other] = [newProcess(), newProcess()];
    for (let id = 1; id <= 60; id++) {
      one.note(viewer, ViewKind.Issue, { id: 1_000_000 + id, projectId: project.id });
      other.note(viewer, ViewKind.Issue, { id: 2_000_000 + id, projectId: project.id });
    }
    let others: Promise<void> | undefined;
    const trim = repository.trim.bind(repository);
    const spy = vi.spyOn(repository, 'trim').mockImplementationOnce(async (...parameters) => {
      // The other writes now, unless it has to wait.
      others = other.flush();
      await Promise.race([others, sleep(1000)]);
      await trim(...parameters);
    });
    await one.flush();
    await others;
    spy.mockRestore();
    expect(await rowsOf(viewer)).toBe(KEPT);
  });

  it('survives a deleted user, an unknown project and a failed write', async () => {
    const { world } = tested;
    const left = await world.addUser();
    await world.admin.api.delete(`/users/${left.id}`);
    views().note(left, ViewKind.Issue, { id: project.issueId, projectId: project.id });
    views().note(viewer, ViewKind.Issue, { id: 5, projectId: 999_999 });
    views().note(viewer, ViewKind.Issue, { id: project.issueId, projectId: project.id });
    const fails = vi.spyOn(world.dataSource, 'createQueryRunner').mockImplementationOnce(() => {
      throw new Error('no connection');
    });
    await views().flush();
    fails.mockRestore();
    expect(await rowsOf(viewer)).toBe(0);
    expect(await issues()).toEqual([project.issueId]);
    await views().flush();
    expect([await rowsOf(viewer), await rowsOf(left)]).toEqual([1, 0]);
  });

  it('accepts additions of issues and wiki pages', async () => {
    const { world } = tested;
    const added = await viewer.api.post('/users/myself/recentlyViewedIssues', {
      issueIdOrKey: project.issueKey,
    });
    expect(added.status).toBe(200);
    expect(added.body).toEqual((await world.admin.api.get(`/issues/${project.issueKey}`)).body);
    const page = await viewer.api.post('/users/myself/recentlyViewedWikis', { wikiId: project.wikiId });
    expect(page.status).toBe(200);
    const [listed] = (await world.admin.api.get<object[]>(`/wikis?projectIdOrKey=${project.key}`)).body;
    expect(page.body).toEqual(listed);
    expect(await rowsOf(viewer)).toBe(2);
    expect(await issues()).toEqual([project.issueId]);
    const elsewhere = await world.addProject();
    const refusals: [string, object, string][] = [
      ['Issues', {}, 'issueIdOrKey'],
      ['Issues', { issueIdOrKey: elsewhere.issueKey }, 'issueIdOrKey'],
      ['Issues', { issueIdOrKey: '../1' }, 'issueIdOrKey'],
      ['Wikis', { wikiId: elsewhere.wikiId }, 'wikiId'],
      ['Wikis', { wikiId: 'Home' }, 'wikiId'],
    ];
    for (const [what, body, field] of refusals) {
      await expectRefused(world, () => viewer.api.post(`/users/myself/recentlyViewed${what}`, body), [field]);
    }
  });
});

describe('the queue of views', () => {
  it('keeps the newest ten thousand', async () => {
    const rows: number[] = [];
    const background = new BackgroundService();
    const service = new ViewsService(
      background,
      {
        write: (_manager: unknown, batch: { subjectId: number }[]) => {
          rows.push(...batch.map(({ subjectId }) => subjectId));
          return Promise.resolve();
        },
        trim: () => Promise.resolve(),
      } as never,
      { run: (work: (manager: unknown) => unknown) => work({}) } as never,
      {
        holdAll: () => Promise.resolve(),
        findByIds: () => Promise.resolve(new Map([[1, {}]])),
      } as never,
    );
    service.setProjectFinder(() => Promise.resolve([1]));
    for (let id = 1; id <= 10_500; id++) service.note({ id: 1 }, ViewKind.Issue, { id, projectId: 1 });
    // The last ones are written at shutdown.
    await service.beforeApplicationShutdown();
    expect(rows.length).toBe(10_000);
    expect(Math.min(...rows)).toBe(501);
  });
});
