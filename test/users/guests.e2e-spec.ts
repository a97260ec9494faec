import { RoleType } from '../../src/access/role-type';
import { errorShape } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

/** Returns all mail addresses in a response, with the ids of the users. */
const mailsIn = (text: string): [number, string][] => {
  const found: [number, string][] = [];
  JSON.parse(text, (_key, value: { id: number; mailAddress?: string } | null) => {
    if (typeof value?.mailAddress === 'string') found.push([value.id, value.mailAddress]);
    return value as unknown;
  });
  return found;
};

const tested = useWorld();

describe.each([RoleType.GuestReporter, RoleType.GuestViewer])('a guest of role %d', (role) => {
  let project: ProjectFixture;
  let guest: Person;
  let colleague: Person;
  let stranger: Person;

  beforeEach(async () => {
    const { world } = tested;
    project = await world.addProject();
    guest = await world.addMember(project, role);
    colleague = await world.addMember(project);
    const other = await world.addProject();
    stranger = await world.addMember(other);
    await world.join(other, colleague);
  });

  const statusOf = async (path: string, person = guest): Promise<number> =>
    (await person.api.get(path)).status;
  const BELOW = ['', '/activities', '/stars', '/stars/count', '/icon'];

  it('sees users of shared projects and gets 404 for others', async () => {
    const missing = await guest.api.get('/users/999999');
    for (const below of BELOW) {
      expect([below, await statusOf(`/users/${colleague.id}${below}`)]).toEqual([below, 200]);
      const hidden = await guest.api.get(`/users/${stranger.id}${below}`);
      expect([below, hidden.status, hidden.text]).toEqual([below, 404, missing.text]);
    }
    expect(await statusOf(`/users/${guest.id}`)).toBe(200);
    // Administrators see every project, but belong to none.
    expect(await statusOf(`/users/${tested.world.admin.id}`)).toBe(404);
    expect(await statusOf('/users')).toBe(403);
  });

  it('sees a user only while they share a project', async () => {
    const { world } = tested;
    const path = `/users/${colleague.id}`;
    await world.admin.api.delete(`/projects/${project.key}/users`, { userId: colleague.id });
    expect(await statusOf(path)).toBe(404);
    const team = await world.addTeam([colleague], project);
    expect(await statusOf(path)).toBe(200);
    await world.admin.api.delete(`/projects/${project.key}/teams`, { teamId: team.id });
    expect(await statusOf(path)).toBe(404);
    await world.join(project, colleague);
    expect(await statusOf(path)).toBe(200);
    await world.admin.api.delete(`/projects/${project.key}`);
    expect(await statusOf(path)).toBe(404);
  });

  it('sees teams of their projects and gets 404 for others', async () => {
    const { world } = tested;
    const own = await world.addTeam([colleague], project);
    const other = await world.addTeam([colleague, stranger]);
    expect(await statusOf(`/teams/${own.id}/icon`)).toBe(200);
    expect(await statusOf(`/teams/${own.id}`)).toBe(403);
    const missing = await guest.api.get('/teams/999999/icon');
    for (const below of ['', '/icon']) {
      const hidden = await guest.api.get(`/teams/${other.id}${below}`);
      expect([below, hidden.status, hidden.text]).toEqual([below, 404, missing.text]);
    }
    expect(await statusOf(`/teams/${other.id}/icon`, colleague)).toBe(200);
    await world.admin.api.delete(`/projects/${project.key}`);
    expect(await statusOf(`/teams/${own.id}/icon`)).toBe(404);
    // Administrators of a project may add any team to it.
    await world.join(await world.addProject(), guest, true);
    expect(await statusOf(`/teams/${other.id}/icon`)).toBe(200);
  });

  it('lists all users while they administer a project', async () => {
    await tested.world.join(await tested.world.addProject(), guest, true);
    const { status, text } = await guest.api.get('/users');
    expect(status).toBe(200);
    expect(mailsIn(text)).toContainEqual([stranger.id, '']);
    expect(await statusOf(`/users/${stranger.id}`)).toBe(200);
  });

  it('sees no mail address but their own in any response', async () => {
    const { world } = tested;
    const issue = `/issues/${project.issueKey}`;
    await colleague.api.patch(issue, { assigneeId: colleague.id, comment: `Hello <@U${guest.id}>` });
    await colleague.api.post('/stars', { issueId: project.issueId });
    await colleague.api.post(`/projects/${project.key}/users`, { userId: stranger.id });
    await world.admin.api.post(`/projects/${project.key}/users`, { userId: stranger.id });
    await world.addTeam([colleague], project);
    await guest.api.post('/watchings', { issueIdOrKey: project.issueKey });
    const paths = [
      `/users/${colleague.id}`,
      `/users/myself`,
      `/projects/${project.key}/users`,
      `/projects/${project.key}/teams`,
      `/projects/${project.key}/activities`,
      '/space/activities',
      `/users/${colleague.id}/activities`,
      issue,
      `/issues?projectId[]=${project.id}`,
      `${issue}/comments`,
      `${issue}/participants`,
      `/wikis/${project.wikiId}`,
      `/wikis?projectIdOrKey=${project.key}`,
      `/wikis/${project.wikiId}/history`,
      '/notifications',
      `/users/${guest.id}/watchings`,
      '/users/myself/recentlyViewedIssues',
    ];
    const own = (await world.admin.api.get<{ mailAddress: string }>(`/users/${guest.id}`)).body.mailAddress;
    expect(own).toContain('@');
    const seen = new Set<number>();
    for (const path of paths) {
      const { status, text } = await guest.api.get(path);
      expect([path, status]).toEqual([path, 200]);
      const mails = mailsIn(text);
      expect([path, mails.length > 0]).toEqual([path, true]);
      for (const [id, mail] of mails) {
        expect([path, id, mail]).toEqual([path, id, id === guest.id ? own : '']);
        seen.add(id);
      }
    }
    expect([...seen]).toEqual(expect.arrayContaining([guest.id, colleague.id, stranger.id, world.admin.id]));
    // Other roles see them.
    const { text } = await colleague.api.get(`/projects/${project.key}/users`);
    expect(mailsIn(text).every(([, mail]) => mail.includes('@'))).toBe(true);
  });

  it('sees all users as soon as they get another role', async () => {
    await tested.world.admin.api.patch(`/users/${guest.id}`, { roleType: RoleType.Viewer });
    const { status, text } = await guest.api.get(`/users/${stranger.id}`);
    expect(status).toBe(200);
    expect(mailsIn(text)).toEqual([[stranger.id, expect.stringContaining('@')]]);
  });
});

describe('a guest who may comment', () => {
  it('fails to notify or assign users outside the project', async () => {
    const { world } = tested;
    const project = await world.addProject();
    const guest = await world.addMember(project, RoleType.GuestReporter);
    const colleague = await world.addMember(project);
    const path = `/issues/${project.issueKey}/comments`;
    const refused = await guest.api.post(path, { content: 'Hello', notifiedUserId: [world.admin.id] });
    expect(refused.status).toBe(400);
    expect(refused.body).toEqual(errorShape(7, ['notifiedUserId']));
    expect(refused.text).toContain(`Valid ids: ${guest.id}, ${colleague.id}.`);
    const unknown = await guest.api.post(path, { content: 'Hello', notifiedUserId: [999_999] });
    expect(unknown.text.replace('999999', String(world.admin.id))).toBe(refused.text);
    const mentioned = await guest.api.post<{ id: number; notifications: object[] }>(path, {
      content: `Hello <@U${world.admin.id}>`,
    });
    expect(mentioned.body.notifications).toEqual([]);
    const later = await guest.api.post(`${path}/${mentioned.body.id}/notifications`, {
      notifiedUserId: [world.admin.id],
    });
    expect(later.body).toEqual(errorShape(7, ['notifiedUserId']));
    const issue = { projectId: project.id, summary: 'A', issueTypeId: project.issueTypeId, priorityId: 3 };
    const assigned = await guest.api.post('/issues', { ...issue, assigneeId: world.admin.id });
    expect(assigned.body).toEqual(errorShape(7, ['assigneeId']));
    const others = await colleague.api.post(path, { content: 'Hello', notifiedUserId: [world.admin.id] });
    expect(others.status).toBe(201);
  });
});
