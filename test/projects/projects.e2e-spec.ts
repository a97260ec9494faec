import { type ProjectDto } from '../../src/projects/dto/project.dto';
import { RoleType } from '../../src/access/role-type';
import { activitiesOf } from '../support/records';
import { expectRefused } from '../support/refusals';
import { anId, userShape } from '../support/shapes';
import { type Person, useWorld } from '../support/world';

/** The settings of a project that was added without any. */
const DEFAULTS = {
  chartEnabled: false,
  useResolvedForChart: false,
  subtaskingEnabled: true,
  grandchildIssueEnabled: false,
  projectLeaderCanEditProjectLeader: false,
  useWiki: true,
  useDocument: false,
  useFileSharing: false,
  useWikiTreeView: true,
  useSubversion: false,
  useGit: true,
  useOriginalImageSizeAtWiki: false,
  useDevAttributes: false,
  textFormattingRule: 'markdown',
};

const OPPOSITES = {
  ...Object.fromEntries(
    Object.entries(DEFAULTS).map(([name, value]) => [name, typeof value === 'boolean' ? !value : value]),
  ),
  textFormattingRule: 'backlog',
};

describe('/projects', () => {
  const tested = useWorld();

  const newKey = (): string => tested.world.uniqueName('WEB').replace(' ', '_');

  const add = async (fields: object = {}): Promise<ProjectDto> => {
    const sent = { name: 'Website', key: newKey(), ...fields };
    const { status, body } = await tested.world.admin.api.post<ProjectDto>('/projects', sent);
    expect(status).toBe(201);
    return body;
  };

  const keysOf = async ({ api }: Person, query = ''): Promise<string[]> =>
    (await api.get<ProjectDto[]>(`/projects${query}`)).body.map(({ projectKey }) => projectKey);

  describe('POST /projects', () => {
    it('answers 201 with the project, which is found by id and by key', async () => {
      const { admin } = tested.world;
      const key = newKey();
      const body = await add({ name: '  Website ', key });
      expect(body).toEqual({
        id: anId,
        projectKey: key,
        name: 'Website',
        ...DEFAULTS,
        archived: false,
        displayOrder: 0,
      });
      expect((await admin.api.get(`/projects/${key}`)).body).toEqual(body);
      expect((await admin.api.get(`/projects/${body.id}`)).body).toEqual(body);
    });

    it('accepts every setting', async () => {
      expect(await add(OPPOSITES)).toMatchObject(OPPOSITES);
    });

    it('accepts a form', async () => {
      const { world } = tested;
      const form = new URLSearchParams({
        name: 'Website',
        key: newKey(),
        chartEnabled: 'true',
        subtaskingEnabled: 'false',
        textFormattingRule: 'backlog',
      });
      const { status, body } = await world.admin.api.post('/projects', form);
      expect(status).toBe(201);
      expect(body).toMatchObject({
        chartEnabled: true,
        subtaskingEnabled: false,
        textFormattingRule: 'backlog',
      });
    });

    it('creates four statuses and four issue types, and numbers later ones after them', async () => {
      const { world } = tested;
      const { id, projectKey } = await add();
      const rows = (table: string) =>
        world.dataSource.query<object[]>(
          `SELECT name, color, display_order AS displayOrder FROM ${table} WHERE project_id = ? ORDER BY display_order`,
          [id],
        );
      expect(await rows('issue_status')).toEqual([
        { name: 'Open', color: '#ed8077', displayOrder: 1000 },
        { name: 'In Progress', color: '#4488c5', displayOrder: 2000 },
        { name: 'Resolved', color: '#5eb5a6', displayOrder: 3000 },
        { name: 'Closed', color: '#a1af2f', displayOrder: 4000 },
      ]);
      expect(await rows('issue_type')).toEqual([
        { name: 'Task', color: '#7ea800', displayOrder: 0 },
        { name: 'Bug', color: '#990000', displayOrder: 1 },
        { name: 'Request', color: '#ff9200', displayOrder: 2 },
        { name: 'Other', color: '#2779ca', displayOrder: 3 },
      ]);
      const type = { name: 'Idea', color: '#123456' };
      const { body } = await world.admin.api.post(`/projects/${projectKey}/issueTypes`, type);
      expect(body.displayOrder).toBe(4);
    });

    it('makes the creator the only member and administrator', async () => {
      const { admin } = tested.world;
      const { id } = await add();
      expect((await admin.api.get(`/projects/${id}/users`)).body).toEqual([userShape(admin)]);
      expect((await admin.api.get(`/projects/${id}/administrators`)).body).toEqual([userShape(admin)]);
      expect(await activitiesOf(tested.world, { id })).toEqual([]);
    });

    it.each<[string, object]>([
      ['name', { name: '' }],
      ['name', { name: undefined }],
      ['name', { name: 'x'.repeat(256) }],
      ['key', { key: '' }],
      ['key', { key: undefined }],
      ['key', { key: 'web' }],
      ['key', { key: '1WEB' }],
      ['key', { key: '_WEB' }],
      ['key', { key: 'W EB' }],
      ['key', { key: 'WEB\n' }],
      ['key', { key: '#1' }],
      ['key', { key: 'X'.repeat(26) }],
      ['chartEnabled', { chartEnabled: 'yes' }],
      ['useGit', { useGit: null }],
      ['textFormattingRule', { textFormattingRule: 'html' }],
      ['archived', { archived: true }],
      ['displayOrder', { displayOrder: 1 }],
    ])('refuses an invalid %s in %j', async (field, fields) => {
      const { world } = tested;
      const send = () => world.admin.api.post('/projects', { name: 'Website', key: newKey(), ...fields });
      await expectRefused(world, send, [field]);
    });

    it('refuses the key of another project', async () => {
      const { world } = tested;
      const { projectKey } = await add();
      const send = () => world.admin.api.post('/projects', { name: 'Another', key: projectKey });
      await expectRefused(world, send, ['key']);
      // The message that migration tools look for.
      expect((await send()).body).toEqual({
        errors: [{ message: 'Duplicate entry: another project has this key.', code: 7, moreInfo: 'key' }],
      });
    });

    it('accepts one of two simultaneous requests with the same key', async () => {
      const fields = { name: 'Website', key: newKey() };
      const answers = await Promise.all([1, 2].map(() => tested.world.admin.api.post('/projects', fields)));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
    });
  });

  describe('GET /projects', () => {
    it("lists the caller's projects ordered by id, and all to an Administrator with ?all=true", async () => {
      const { world } = tested;
      const administrator = await world.addUser(RoleType.Administrator);
      const [one, other, third] = [
        await world.addProject(),
        await world.addProject(),
        await world.addProject(),
      ];
      for (const place of [other, one]) await world.join(place, administrator);
      expect(await keysOf(administrator)).toEqual([one.key, other.key]);
      expect(await keysOf(administrator, '?all=false')).toEqual([one.key, other.key]);
      expect((await keysOf(administrator, '?all=true')).slice(-3)).toEqual([one.key, other.key, third.key]);
      const viewer = await world.addMember(third, RoleType.Viewer);
      expect(await keysOf(viewer)).toEqual([third.key]);
      expect(await keysOf(viewer, '?all=true')).toEqual([third.key]);
    });

    it('returns an empty list to a user without projects', async () => {
      expect(await keysOf(await tested.world.addUser())).toEqual([]);
    });

    it('filters by archived', async () => {
      const { world } = tested;
      const [one, other] = [await world.addProject(), await world.addProject()];
      const person = await world.addMember(one);
      await world.join(other, person);
      await world.admin.api.patch(`/projects/${other.key}`, { archived: true });
      expect(await keysOf(person)).toEqual([one.key, other.key]);
      expect(await keysOf(person, '?archived=false')).toEqual([one.key]);
      expect(await keysOf(person, '?archived=true')).toEqual([other.key]);
    });

    it('returns each project as GET /projects/{projectIdOrKey} does', async () => {
      const { world } = tested;
      const place = await world.addProject();
      const person = await world.addMember(place);
      const { body } = await person.api.get(`/projects/${place.key}`);
      expect((await person.api.get('/projects')).body).toEqual([body]);
    });

    it.each([['archived=1'], ['all=yes']])('refuses ?%s', async (query) => {
      const { admin } = tested.world;
      expect((await admin.api.get(`/projects?${query}`)).status).toBe(400);
    });
  });

  describe('PATCH /projects/{projectIdOrKey}', () => {
    it('changes only the fields sent', async () => {
      const { world } = tested;
      const before = await add();
      const path = `/projects/${before.id}`;
      const { status, body } = await world.admin.api.patch(path, { name: 'Shop', useGit: false });
      expect(status).toBe(200);
      expect(body).toEqual({ ...before, name: 'Shop', useGit: false });
      expect((await world.admin.api.patch(path, {})).body).toEqual(body);
      const all = { ...OPPOSITES, archived: true };
      expect((await world.admin.api.patch(path, all)).body).toEqual({ ...body, ...all });
      expect((await world.admin.api.get(path)).body).toEqual({ ...body, ...all });
    });

    it('accepts an administrator of the project with role Viewer', async () => {
      const { world } = tested;
      const place = await world.addProject();
      const person = await world.addMember(place, RoleType.Viewer, true);
      const { body } = await person.api.patch(`/projects/${place.key}`, { name: 'Ours' });
      expect(body.name).toBe('Ours');
    });

    it('moves the issues to the new key and frees the old one', async () => {
      const { world } = tested;
      const place = await world.addProject();
      const key = newKey();
      expect((await world.admin.api.patch(`/projects/${place.key}`, { key })).body.projectKey).toBe(key);
      expect((await world.admin.api.get(`/projects/${place.key}`)).status).toBe(404);
      const comment = { content: 'Hello' };
      const commentOn = (issueKey: string) => world.admin.api.post(`/issues/${issueKey}/comments`, comment);
      expect((await commentOn(`${key}-1`)).status).toBe(201);
      expect((await commentOn(`${place.key}-1`)).status).toBe(404);
      expect((await add({ key: place.key })).projectKey).toBe(place.key);
    });

    it('accepts the current key of the project', async () => {
      const { projectKey, id } = await add();
      const { status } = await tested.world.admin.api.patch(`/projects/${id}`, { key: projectKey });
      expect(status).toBe(200);
    });

    it.each<[string, object]>([
      ['name', { name: ' ' }],
      ['name', { name: null }],
      ['key', { key: 'web' }],
      ['archived', { archived: 'no' }],
      ['textFormattingRule', { textFormattingRule: null }],
      ['id', { id: 7 }],
    ])('refuses an invalid %s in %j', async (field, fields) => {
      const { world } = tested;
      const { id } = await add();
      await expectRefused(world, () => world.admin.api.patch(`/projects/${id}`, fields), [field]);
    });

    it('refuses the key of another project', async () => {
      const { world } = tested;
      const [one, other] = [await add(), await add()];
      const send = () => world.admin.api.patch(`/projects/${one.id}`, { key: other.projectKey, name: 'X' });
      await expectRefused(world, send, ['key']);
      // The message that migration tools look for.
      expect((await send()).body).toEqual({
        errors: [{ message: 'Duplicate entry: another project has this key.', code: 7, moreInfo: 'key' }],
      });
    });

    it('keeps an archived project writable', async () => {
      const { world } = tested;
      const place = await world.addProject();
      const member = await world.addMember(place);
      await world.admin.api.patch(`/projects/${place.key}`, { archived: true });
      const { status } = await member.api.post(`/issues/${place.issueKey}/comments`, { content: 'Still' });
      expect(status).toBe(201);
    });
  });
});

describe('a space with the maximum number of projects', () => {
  const LIMIT = 3;
  const tested = useWorld({ MAX_PROJECTS: String(LIMIT) });

  it('answers 409 to a further project until one is deleted', async () => {
    const { world } = tested;
    const { api } = world.admin;
    const add = (key: string) => api.post('/projects', { name: 'Website', key });
    for (let number = 0; number < LIMIT - 1; number++) await add(`P${number}`);
    const answers = await Promise.all(['ONE', 'TWO'].map(add));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual({
      errors: [
        { code: 9, message: `Project limit. A space can have at most ${LIMIT} projects.`, moreInfo: '' },
      ],
    });
    expect((await api.get<ProjectDto[]>('/projects?all=true')).body).toHaveLength(LIMIT);
    expect((await api.delete('/projects/P0')).status).toBe(200);
    expect((await add('THREE')).status).toBe(201);
  });
});
