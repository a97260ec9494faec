import { Activity } from '../../src/activities/entities/activity.entity';
import { ActivityType } from '../../src/activities/activity-type';
import { insertRows } from '../../src/database/sql/rows';
import { ProjectsService } from '../../src/projects/projects.service';
import { RoleType } from '../../src/access/role-type';
import { type ApiResponse } from '../support/api';
import { anId, aTimestamp, errorShape, userShape } from '../support/shapes';
import { statementsOf } from '../support/records';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

interface Shown {
  id: number;
  type: number;
  project: { id: number };
}

const GIT_TYPES = [12, 13, 18, 19, 20, 21];

/** Returns the query of the next page. */
function nextQuery({ headers }: ApiResponse): string | undefined {
  const next = /<(.+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  return next === undefined ? undefined : new URL(next).search;
}

describe('the lists of activities', () => {
  const tested = useWorld();

  const idsAt = async (person: Person, path: string): Promise<number[]> => {
    const { status, body } = await person.api.get<Shown[]>(path);
    expect([path, status]).toEqual([path, 200]);
    return body.map(({ id }) => id);
  };

  /** Writes activities with empty content directly to the database, with given types, projects and users. */
  async function write(
    rows: readonly { project: { id: number }; type: number; person: { id: number } }[],
  ): Promise<void> {
    await tested.world.write((manager) =>
      insertRows(
        manager,
        Activity,
        rows.map(({ project, type, person }) => ({
          projectId: project.id,
          type,
          content: { nothing: true },
          createdUserId: person.id,
          created: Date.now(),
        })),
      ),
    );
  }

  describe('with one activity', () => {
    let project: ProjectFixture;
    let member: Person;

    beforeEach(async () => {
      const { world } = tested;
      project = await world.addProject();
      member = await world.addMember(project);
    });

    it('shows the same activity in every list and by id', async () => {
      const path = `/issues/${project.issueKey}/comments`;
      const { body: comment } = await member.api.post(path, { content: 'Hello' });
      const { body: shownProject } = await member.api.get(`/projects/${project.key}`);
      const expected = {
        id: anId,
        project: shownProject,
        type: 3,
        content: {
          id: project.issueId,
          key_id: 1,
          summary: 'An issue',
          description: 'Its description',
          comment: { id: comment.id, content: 'Hello' },
          changes: [],
          attachments: [],
          shared_files: [],
          external_file_links: [],
        },
        notifications: [],
        createdUser: userShape(member),
        created: aTimestamp,
      };
      for (const list of [
        `/projects/${project.key}/activities`,
        `/projects/${project.id}/activities`,
        '/space/activities',
        `/users/${member.id}/activities`,
      ]) {
        const { status, body } = await member.api.get(list);
        expect([list, status]).toEqual([list, 200]);
        expect([list, body]).toEqual([list, [expected]]);
        const one = await member.api.get(`/activities/${body[0].id}`);
        expect(one.status).toBe(200);
        expect(one.body).toEqual(body[0]);
      }
    });

    it('shows the values at the time of the activity', async () => {
      await member.api.post(`/issues/${project.issueKey}/comments`, { content: 'Hello' });
      await member.api.patch(`/issues/${project.issueKey}`, { summary: 'Another summary' });
      const { body } = await member.api.get(`/projects/${project.key}/activities?activityTypeId[]=3`);
      expect(body).toMatchObject([{ content: { summary: 'An issue' } }]);
    });

    it('hides the activities of a deleted project', async () => {
      const { world } = tested;
      await member.api.post(`/issues/${project.issueKey}/comments`, { content: 'Hello' });
      const [id] = await idsAt(world.admin, `/projects/${project.key}/activities`);
      await world.dataSource.query('UPDATE project SET deleted = 1 WHERE id = ?', [project.id]);
      expect((await world.admin.api.get(`/activities/${id}`)).status).toBe(404);
      expect(await idsAt(world.admin, '/space/activities?count=100')).not.toContain(id);
      expect(await idsAt(world.admin, `/users/${member.id}/activities`)).toEqual([]);
      expect(await idsAt(member, '/space/activities')).toEqual([]);
    });
  });

  it.each([RoleType.Reporter, RoleType.Viewer, RoleType.GuestReporter, RoleType.GuestViewer])(
    'hides activities of git from role %d',
    async (role) => {
      const { world } = tested;
      const project = await world.addProject();
      const [person, developer] = [await world.addMember(project, role), await world.addMember(project)];
      await write([...GIT_TYPES, 3].map((type) => ({ project, type, person: developer })));
      const lists = [`/projects/${project.key}`, '/space', `/users/${developer.id}`];
      const all = await idsAt(developer, `/projects/${project.key}/activities`);
      for (const list of lists) {
        expect(await idsAt(developer, `${list}/activities`)).toEqual(all);
        expect(await idsAt(person, `${list}/activities`)).toEqual(all.slice(0, 1));
        expect(await idsAt(developer, `${list}/activities?activityTypeId[]=18`)).toHaveLength(1);
        expect(await idsAt(person, `${list}/activities?activityTypeId[]=18`)).toEqual([]);
        const both = `${list}/activities?activityTypeId[]=18&activityTypeId[]=3`;
        expect(await idsAt(person, both)).toEqual(all.slice(0, 1));
      }
      for (const id of all) {
        const { status } = await person.api.get(`/activities/${id}`);
        expect([id, status]).toEqual([id, id === all[0] ? 200 : 404]);
      }
    },
  );

  describe('with several projects', () => {
    let projects: ProjectFixture[];
    let people: Person[];
    /** A member of some of the projects. */
    let member: Person;
    let stored: { id: number; projectId: number; type: number; createdUserId: number }[];

    beforeAll(async () => {
      const { world } = tested;
      projects = [];
      while (projects.length < 9) projects.push(await world.addProject());
      people = [await world.addUser(), await world.addUser()];
      member = await world.addUser();
      for (const project of projects.slice(0, 5)) await world.join(project, member);
      // The last project has no activities; the others all differ.
      await write(
        Array.from({ length: 400 }, (_, number) => ({
          project: projects[Math.min((number * number) % 11, 7)] as ProjectFixture,
          // One type has more activities than are read by their ids.
          type: number < 150 ? ([3, 2, 18, 5, 34][(number * 7) % 5] as number) : 2,
          person: people[number % 3 === 0 ? 0 : 1] as Person,
        })),
      );
      const ids = projects.map(({ id }) => id);
      stored = await world.dataSource.query(
        `SELECT id, project_id AS projectId, type, created_user_id AS createdUserId FROM activity
          WHERE project_id IN (${ids.join(', ')}) ORDER BY id`,
      );
    });

    const QUERIES = [
      '',
      'order=asc',
      'count=1',
      'count=100',
      'count=100&order=asc',
      'activityTypeId[]=2',
      'activityTypeId[]=34&activityTypeId[]=5&count=7',
      'activityTypeId[]=34&activityTypeId[]=5&count=7&order=asc',
      'activityTypeId[]=9',
      'activityTypeId[]=2&activityTypeId[]=2',
      // More types than are queried separately.
      [1, 2, 3, 4, 6, 7, 8, 9, 18, 34].map((type) => `activityTypeId[]=${type}`).join('&'),
    ];

    /** Returns the ids that a list must contain, out of the visible activities. */
    function expectedOf(query: string, ofList: typeof stored): number[] {
      const parameters = new URLSearchParams(query);
      const types = parameters.getAll('activityTypeId[]').map(Number);
      const ids = ofList
        .filter(({ id, type }) => (types.length === 0 || types.includes(type)) && isBetween(id, parameters))
        .map(({ id }) => id);
      if (parameters.get('order') !== 'asc') ids.reverse();
      return ids.slice(0, Number(parameters.get('count') ?? 20));
    }

    const isBetween = (id: number, parameters: URLSearchParams): boolean =>
      id >= Number(parameters.get('minId') ?? 0) && id <= Number(parameters.get('maxId') ?? Infinity);

    const visibleTo = (person: Person): typeof stored => {
      const visible = new Set(projects.slice(0, person === member ? 5 : 9).map(({ id }) => id));
      return stored.filter(({ projectId }) => visible.has(projectId));
    };

    const callers = (): Person[] => [member, tested.world.admin];

    it.each(QUERIES)('merges the activities of the visible projects for ?%s', async (query) => {
      for (const caller of callers()) {
        const visible = visibleTo(caller);
        // The bounds exclude activities of other tests.
        const bounds = `minId=${stored[0]?.id}&maxId=${stored.at(-1)?.id}`;
        expect(await idsAt(caller, `/space/activities?${bounds}&${query}`)).toEqual(
          expectedOf(query, visible),
        );
        const half = `minId=${stored[40]?.id}&maxId=${stored[110]?.id}&${query}`;
        expect(await idsAt(caller, `/space/activities?${half}`)).toEqual(expectedOf(half, visible));
      }
    });

    it.each(QUERIES)('lists the visible activities of a user for ?%s', async (query) => {
      for (const caller of callers()) {
        for (const person of people) {
          const own = visibleTo(caller).filter(({ createdUserId }) => createdUserId === person.id);
          expect(await idsAt(caller, `/users/${person.id}/activities?${query}`)).toEqual(
            expectedOf(query, own),
          );
        }
      }
    });

    it.each([
      ['a rare type', 'activityTypeId[]=34', false],
      ['a type without activities', 'activityTypeId[]=9', false],
      ['a frequent type', 'activityTypeId[]=2', true],
    ])('reads the index on users for %s only if it is frequent', async (_what, query, isRead) => {
      const { world } = tested;
      const list = `/users/${people[1]!.id}/activities?${query}`;
      const sent = await statementsOf(world, () => world.admin.api.get(list));
      expect(sent.some((sql) => sql.includes('ix_activity_created_user_id'))).toBe(isRead);
    });

    it.each(QUERIES)('lists the activities of a project for ?%s', async (query) => {
      for (const project of projects) {
        const own = stored.filter(({ projectId }) => projectId === project.id);
        const list = `/projects/${project.key}/activities?${query}`;
        expect(await idsAt(tested.world.admin, list)).toEqual(expectedOf(query, own));
      }
    });

    it.each(QUERIES)('merges the activities of more than a hundred projects for ?%s', async (query) => {
      const { world } = tested;
      const [row] = await world.dataSource.query<[{ count: number | string }]>(
        'SELECT COUNT(*) AS count FROM project',
      );
      await world.write(async (manager) => {
        for (let number = Number(row.count); number < 140; number++) {
          const project = { projectKey: `MANY${number}`, name: 'One of many' };
          await world.service(ProjectsService).add(manager, project);
        }
      });
      const bounds = `minId=${stored[0]?.id}&maxId=${stored[120]?.id}&${query}`;
      expect(await idsAt(world.admin, `/space/activities?${bounds}`)).toEqual(
        expectedOf(bounds, visibleTo(world.admin)),
      );
    });

    it.each(['space', 'user'])('links the pages of the activities of a %s in both orders', async (of) => {
      const [person] = people as [Person];
      const visible = visibleTo(member);
      const expected = visible.filter(({ createdUserId }) => of === 'space' || createdUserId === person.id);
      for (const order of ['asc', 'desc']) {
        const path = of === 'space' ? '/space/activities' : `/users/${person.id}/activities`;
        let query: string | undefined = `?count=7&order=${order}`;
        const walked: number[] = [];
        while (query !== undefined) {
          const page: ApiResponse<Shown[]> = await member.api.get(path + query);
          walked.push(...page.body.map(({ id }) => id));
          query = nextQuery(page);
        }
        const ids = expected.map(({ id }) => id);
        expect(walked).toEqual(order === 'asc' ? ids : ids.reverse());
      }
    });

    it('returns an empty list to a user without projects', async () => {
      const stranger = await tested.world.addUser();
      const [person] = people as [Person];
      expect(await idsAt(stranger, '/space/activities')).toEqual([]);
      expect(await idsAt(stranger, `/users/${person.id}/activities`)).toEqual([]);
    });
  });

  it.each([
    ['activityTypeId[]=27', 'activityTypeId'],
    ['activityTypeId[]=x', 'activityTypeId'],
    ['count=101', 'count'],
    ['order=up', 'order'],
    ['minId=-1', 'minId'],
  ])('answers 400 for ?%s', async (query, field) => {
    const { world } = tested;
    const project = await world.addProject();
    for (const list of [`/projects/${project.key}`, '/space', `/users/${world.admin.id}`]) {
      const answer = await world.admin.api.get(`${list}/activities?${query}`);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(errorShape(7, [field]));
    }
  });

  it('refuses the parameter offset', async () => {
    const { status, body } = await tested.world.admin.api.get('/space/activities?offset=1');
    expect(status).toBe(400);
    expect(body.errors[0].message).toBe('error.unknownParameter : offset');
  });

  it('treats an empty activityTypeId[] as all types', async () => {
    const { world } = tested;
    const project = await world.addProject();
    await write([{ project, type: ActivityType.WikiCreated, person: world.admin }]);
    expect(await idsAt(world.admin, `/projects/${project.key}/activities?activityTypeId[]=`)).toHaveLength(1);
  });
});
