import { request } from 'node:http';
import { RoleType } from '../src/users/role-type';
import { type Person, type ProjectFixture, useWorld } from './support/world';

/** A request whose body is held back after its first byte. */
interface HeldRequest {
  /** Sends the rest, and gives the status of the answer. */
  finish(): Promise<number>;
}

describe('a body that comes after its head', () => {
  const tested = useWorld();
  let project: ProjectFixture;

  beforeAll(async () => {
    project = await tested.world.addProject();
  });

  /** Resolves when the service has the head of the request, and the first byte of its body is on its way. */
  async function hold(person: Person, method: string, path: string, body: object): Promise<HeldRequest> {
    const text = JSON.stringify(body);
    const sent = request(`${tested.world.server.baseUrl}${path}`, {
      method,
      headers: {
        'X-API-Key': person.key,
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(text),
        Expect: '100-continue',
      },
    });
    const answered = new Promise<number>((resolve, reject) => {
      sent.once('error', reject);
      sent.once('response', (response) => {
        response.resume();
        resolve(response.statusCode as number);
      });
    });
    sent.flushHeaders();
    await new Promise((resolve) => sent.once('continue', resolve));
    sent.write(text.slice(0, 1));
    return {
      finish: () => {
        sent.end(text.slice(1));
        return answered;
      },
    };
  }

  const NEW_ADMINISTRATOR = {
    password: 'a long password',
    name: 'Somebody',
    mailAddress: 'somebody@example.com',
    roleType: RoleType.Administrator,
  };

  it('is accepted from who still may send it', async () => {
    const { world } = tested;
    const held = await hold(world.admin, 'POST', '/users', { ...NEW_ADMINISTRATOR, userId: 'welcome' });
    expect(await held.finish()).toBe(200);
  });

  it('is refused from who has been demoted since', async () => {
    const { world } = tested;
    const person = await world.addUser(RoleType.Administrator);
    const held = [
      await hold(person, 'POST', '/users', { ...NEW_ADMINISTRATOR, userId: 'unwelcome' }),
      await hold(person, 'POST', `/users/${world.admin.id}/apiKeys`, { name: 'Stolen' }),
      await hold(person, 'PATCH', `/users/${person.id}`, { roleType: RoleType.Administrator }),
    ];
    const { status } = await world.admin.api.patch(`/users/${person.id}`, { roleType: RoleType.Viewer });
    expect(status).toBe(200);
    for (const request of held) expect(await request.finish()).toBe(403);
    const { body: users } =
      await world.admin.api.get<{ id: number; userId: string; roleType: number }[]>('/users');
    expect(users.map(({ userId }) => userId)).not.toContain('unwelcome');
    expect(users.find(({ id }) => id === person.id)?.roleType).toBe(RoleType.Viewer);
  });

  it('is refused from who has been removed since', async () => {
    const { world } = tested;
    const person = await world.addUser(RoleType.Administrator);
    const held = await hold(person, 'POST', '/projects', { name: 'Late', key: 'LATE' });
    expect((await world.admin.api.delete(`/users/${person.id}`)).status).toBe(200);
    expect(await held.finish()).toBe(401);
    expect((await world.admin.api.get('/projects/LATE')).status).toBe(404);
  });

  it('is refused from who has left the project since, and as if it were not there', async () => {
    const { world } = tested;
    const person = await world.addMember(project);
    const comment = { content: 'Too late' };
    const held = await hold(person, 'POST', `/issues/${project.issueKey}/comments`, comment);
    const users = `/projects/${project.key}/users`;
    expect((await world.admin.api.delete(users, { userId: person.id })).status).toBe(200);
    expect(await held.finish()).toBe(404);
  });
});
