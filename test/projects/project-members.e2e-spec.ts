import { RoleType } from '../../src/access/role-type';
import { insertRows } from '../../src/database/sql/rows';
import { ProjectMember } from '../../src/projects/entities/project-member.entity';
import { User } from '../../src/users/entities/user.entity';
import { activitiesOf } from '../support/records';
import { expectRefused } from '../support/refusals';
import { activityUserShape, userShape } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

describe('/projects/{projectIdOrKey}/users and /administrators', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let administrator: Person;
  let users: string;
  let administrators: string;

  beforeEach(async () => {
    const { world } = tested;
    project = await world.addProject();
    administrator = await world.addMember(project, RoleType.Reporter, true);
    users = `/projects/${project.key}/users`;
    administrators = `/projects/${project.key}/administrators`;
  });

  const notificationsOf = (person: Person): Promise<object[]> =>
    tested.world.dataSource.query<object[]>(
      `SELECT project_id AS projectId, thread_id AS threadId, comment_id AS commentId, sender_id AS senderId, reason
         FROM notification WHERE user_id = ?`,
      [person.id],
    );

  const memberships = (person: Person): Promise<object[]> =>
    tested.world.dataSource.query<object[]>('SELECT * FROM project_member WHERE user_id = ?', [person.id]);

  it('lists thousands of members and administrators completely, as /users does', async () => {
    const { world } = tested;
    const COUNT = 2500;
    const numbers = Array.from({ length: COUNT }, (_, index) => index);
    const add = async <T extends object>(entity: new () => T, rows: Partial<T>[]): Promise<void> => {
      for (let start = 0; start < rows.length; start += 500) {
        await world.write((manager) => insertRows(manager, entity, rows.slice(start, start + 500)));
      }
    };
    await add(
      User,
      numbers.map((number) => ({
        userId: `many.${number}`,
        name: 'User',
        roleType: RoleType.NormalUser,
        lang: 'en',
        mailAddress: 'user@example.com',
        lastLoginTime: 0,
        created: 0,
        vendorId: 'x',
        vendorName: 'User',
        vendorUniqueId: 'x',
      })),
    );
    const rows = await world.dataSource.query<{ id: number | string }[]>(
      "SELECT id FROM user WHERE user_id LIKE 'many.%' ORDER BY id",
    );
    const ids = rows.map(({ id }) => Number(id));
    expect(ids).toHaveLength(COUNT);
    await add(
      ProjectMember,
      ids.map((userId) => ({ projectId: project.id, userId, projectAdministrator: true, created: 0 })),
    );
    for (const path of [users, administrators, '/users']) {
      const { body } = await world.admin.api.get<{ id: number; userId: string }[]>(path);
      expect(body.filter(({ userId }) => userId.startsWith('many.')).map(({ id }) => id)).toEqual(ids);
    }
    await world.dataSource.query("DELETE FROM user WHERE user_id LIKE 'many.%'");
  });

  it('lists the members ordered by id', async () => {
    const { world } = tested;
    const [one, other] = [await world.addUser(), await world.addUser()];
    for (const person of [other, one]) await world.join(project, person);
    for (const query of ['', '?excludeGroupMembers=true']) {
      const { status, body } = await one.api.get(users + query);
      expect(status).toBe(200);
      expect(body).toEqual([administrator, one, other].map(userShape));
    }
    expect((await one.api.get(administrators)).body).toEqual([userShape(administrator)]);
  });

  describe('POST /projects/{projectIdOrKey}/users', () => {
    it('shows the project to the user, notifies them and writes activity 15', async () => {
      const { world } = tested;
      const person = await world.addUser();
      expect((await person.api.get(users)).status).toBe(404);
      const { status, body } = await administrator.api.post(users, { userId: person.id });
      expect(status).toBe(200);
      expect(body).toEqual(userShape(person));
      expect((await person.api.get(users)).body).toEqual([administrator, person].map(userShape));
      expect((await person.api.get(administrators)).body).toEqual([userShape(administrator)]);
      expect(await activitiesOf(world, project)).toEqual([
        {
          type: 15,
          createdUserId: administrator.id,
          content: {
            users: [activityUserShape(person)],
            group_project_activities: [],
            comment: '',
          },
        },
      ]);
      expect(await notificationsOf(person)).toEqual([
        {
          projectId: project.id,
          threadId: null,
          commentId: null,
          senderId: administrator.id,
          reason: 6,
        },
      ]);
    });

    it('sends no notification to Administrators who add themselves', async () => {
      const { world } = tested;
      const person = await world.addUser(RoleType.Administrator);
      expect((await person.api.post(users, { userId: person.id })).status).toBe(200);
      expect(await notificationsOf(person)).toEqual([]);
      expect(await activitiesOf(world, project)).toHaveLength(1);
    });

    it('refuses an unknown user', async () => {
      const { world } = tested;
      await expectRefused(world, () => administrator.api.post(users, { userId: 999_999 }), ['userId']);
    });

    it('refuses a user who is already a member', async () => {
      const { world } = tested;
      const member = await world.addMember(project);
      await expectRefused(world, () => administrator.api.post(users, { userId: member.id }), ['userId']);
    });

    it.each([[{}], [{ userId: 0 }], [{ userId: 'dana' }], [{ userId: [1] }]])('refuses %j', async (body) => {
      await expectRefused(tested.world, () => administrator.api.post(users, body), ['userId']);
    });

    it('adds and notifies a user once under simultaneous requests', async () => {
      const { world } = tested;
      const person = await world.addUser();
      const answers = await Promise.all(
        [1, 2, 3].map(() => administrator.api.post(users, { userId: person.id })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
      expect(await activitiesOf(world, project)).toHaveLength(1);
      expect(await notificationsOf(person)).toHaveLength(1);
    });

    it('leaves no membership when the user is deleted at the same time', async () => {
      const { world } = tested;
      for (let round = 0; round < 5; round++) {
        const person = await world.addUser();
        await world.addComment(project.issueThreadId, person);
        const [joined, left] = await Promise.all([
          administrator.api.post(users, { userId: person.id }),
          world.admin.api.delete(`/users/${person.id}`),
        ]);
        expect([200, 400]).toContain(joined.status);
        expect(left.status).toBe(200);
        expect(await memberships(person)).toEqual([]);
      }
    });
  });

  describe('DELETE /projects/{projectIdOrKey}/users', () => {
    it('hides the project from the user and writes activity 16', async () => {
      const { world } = tested;
      const member = await world.addMember(project, RoleType.NormalUser, true);
      const { status, body } = await administrator.api.delete(users, { userId: member.id });
      expect(status).toBe(200);
      expect(body).toEqual(userShape(member));
      expect((await member.api.get(users)).status).toBe(404);
      expect((await administrator.api.get(administrators)).body).toEqual([userShape(administrator)]);
      expect(await activitiesOf(world, project)).toEqual([
        {
          type: 16,
          createdUserId: administrator.id,
          content: {
            users: [activityUserShape(member)],
            group_project_activities: [],
            comment: '',
          },
        },
      ]);
      expect(await notificationsOf(member)).toEqual([]);
    });

    it('accepts a form body', async () => {
      const { world } = tested;
      const member = await world.addMember(project);
      const form = new URLSearchParams({ userId: String(member.id) });
      expect((await administrator.api.delete(users, form)).status).toBe(200);
    });

    it('refuses a user who is not a member', async () => {
      const { world } = tested;
      const stranger = await world.addUser();
      for (const userId of [stranger.id, 999_999]) {
        await expectRefused(world, () => administrator.api.delete(users, { userId }), ['userId']);
      }
    });

    it('removes a member once under simultaneous requests', async () => {
      const { world } = tested;
      const member = await world.addMember(project);
      const answers = await Promise.all(
        [1, 2].map(() => administrator.api.delete(users, { userId: member.id })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
      expect(await activitiesOf(world, project)).toHaveLength(1);
    });
  });

  describe('/projects/{projectIdOrKey}/administrators', () => {
    it('grants and revokes the administration of the project', async () => {
      const { world } = tested;
      const member = await world.addMember(project, RoleType.Viewer);
      const rename = () => member.api.patch(`/projects/${project.key}`, { name: 'Ours' });
      expect((await rename()).status).toBe(403);
      const added = await world.admin.api.post(administrators, { userId: member.id });
      expect([added.status, added.body]).toEqual([200, userShape(member)]);
      expect((await rename()).status).toBe(200);
      expect((await member.api.get(administrators)).body).toEqual([administrator, member].map(userShape));
      const removed = await world.admin.api.delete(administrators, { userId: member.id });
      expect([removed.status, removed.body]).toEqual([200, userShape(member)]);
      expect((await rename()).status).toBe(403);
      expect((await member.api.get(users)).body).toEqual([administrator, member].map(userShape));
      expect(await activitiesOf(world, project)).toEqual([]);
    });

    it('refuses a user who is not a member', async () => {
      const { world } = tested;
      const stranger = await world.addUser();
      for (const userId of [stranger.id, 999_999]) {
        for (const send of ['post', 'delete'] as const) {
          await expectRefused(world, () => world.admin.api[send](administrators, { userId }), ['userId']);
        }
      }
    });

    it('grants and revokes once under simultaneous requests', async () => {
      const { world } = tested;
      const member = await world.addMember(project);
      const send = { userId: member.id };
      for (const method of ['post', 'delete'] as const) {
        const answers = await Promise.all([1, 2].map(() => world.admin.api[method](administrators, send)));
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
      }
    });
  });
});
