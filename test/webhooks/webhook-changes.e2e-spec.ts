import { activitiesOf, everythingStored } from '../support/records';
import { expectRefused } from '../support/refusals';
import { aTimestamp, errorShape, userShape } from '../support/shapes';
import { HEALTHY, useAdministeredProject } from '../support/webhooks';
import { useWorld } from '../support/world';

const LONG_AGO = Date.parse('2020-02-29T12:34:56.789Z');
const GIVEN = {
  name: 'Chat',
  description: 'Posts to #dev',
  hookUrl: 'https://93.184.215.14/hooks/42',
  allEvent: false,
  activityTypeIds: [3, 1],
};

describe('the webhooks API', () => {
  const tested = useAdministeredProject(useWorld());
  let id: number;
  let path: string;

  beforeEach(async () => {
    id = await addWebhook();
    path = `${tested.webhooks}/${id}`;
    await tested.world.dataSource.query('UPDATE webhook SET created = ?, updated = ?', [LONG_AGO, LONG_AGO]);
  });

  const addWebhook = async (fields: object = {}): Promise<number> =>
    (await tested.owner.api.post<{ id: number }>(tested.webhooks, { ...GIVEN, ...fields })).body.id;

  const shape = (fields: object = {}): object => ({
    id,
    ...GIVEN,
    createdUser: userShape(tested.owner),
    created: '2020-02-29T12:34:56Z',
    updatedUser: userShape(tested.owner),
    updated: '2020-02-29T12:34:56Z',
    health: HEALTHY,
    ...fields,
  });

  it('lists the webhooks of a project, oldest first', async () => {
    const { world, project, owner, webhooks } = tested;
    const other = await world.addMember(project, undefined, true);
    const { body: second } = await other.api.post(webhooks, { name: 'CI', hookUrl: GIVEN.hookUrl });
    const { status, body } = await owner.api.get(webhooks);
    expect(status).toBe(200);
    expect(body).toEqual([shape(), second]);
  });

  it('returns an empty list for a project without webhooks', async () => {
    const other = await tested.world.addProject();
    const { status, body } = await tested.world.admin.api.get(`/projects/${other.key}/webhooks`);
    expect(status).toBe(200);
    expect(body).toEqual([]);
  });

  it('returns a single webhook', async () => {
    const { status, body } = await tested.owner.api.get(path);
    expect(status).toBe(200);
    expect(body).toEqual(shape());
  });

  describe('PATCH /projects/{projectIdOrKey}/webhooks/{webhookId}', () => {
    it('returns the changed webhook with its updater, and records no activity', async () => {
      const { world, project, owner } = tested;
      const other = await world.addMember(project, undefined, true);
      const changes = {
        name: 'CI',
        description: '',
        hookUrl: 'http://93.184.215.14:8080/ci?token=a%20b',
        allEvent: true,
        activityTypeIds: [5],
      };
      const { status, body } = await other.api.patch(path, changes);
      expect(status).toBe(200);
      expect(body).toEqual(shape({ ...changes, updatedUser: userShape(other), updated: aTimestamp }));
      expect(Date.parse(body.updated as string)).toBeGreaterThan(LONG_AGO);
      expect((await owner.api.get(path)).body).toEqual(body);
      expect(await activitiesOf(world, project)).toEqual([]);
    });

    it.each([
      ['name', { name: 'CI' }],
      ['description', { description: 'Else' }],
      ['address', { hookUrl: 'https://93.184.215.14/other' }],
      ['allEvent', { allEvent: true }],
      ['list of activity types', { activityTypeIds: [1, 3] }],
      ['emptied list of activity types', { activityTypeIds: [] }],
    ])('keeps the other fields when only the %s is given', async (_what, changes) => {
      const { body } = await tested.owner.api.patch(path, changes);
      expect(body).toEqual(shape({ ...changes, updated: aTimestamp }));
      expect(Date.parse(body.updated as string)).toBeGreaterThan(LONG_AGO);
    });

    it.each([
      ['no field', {}],
      ['the current values', GIVEN],
      ['the current values in another form', { name: ' Chat ', activityTypeIds: [3, 1, 3] }],
    ])('changes nothing when given %s', async (_what, changes) => {
      const { world, project } = tested;
      const other = await world.addMember(project, undefined, true);
      const before = await everythingStored(world);
      const { status, body } = await other.api.patch(path, changes);
      expect(status).toBe(200);
      expect(body).toEqual(shape());
      expect(await everythingStored(world)).toEqual(before);
    });

    it.each<[string, object, string]>([
      ['a blank name', { name: ' ' }, 'name'],
      ['null for a name', { name: null }, 'name'],
      ['null for a description', { description: null }, 'description'],
      ['an address without scheme', { hookUrl: 'example.com' }, 'hookUrl'],
      ['a loopback address', { hookUrl: 'http://127.0.0.1/' }, 'hookUrl'],
      ['an IPv4-mapped private address', { hookUrl: 'http://[::ffff:10.0.0.1]/' }, 'hookUrl'],
      ['an empty address', { hookUrl: '' }, 'hookUrl'],
      ['text for allEvent', { allEvent: 'true' }, 'allEvent'],
      ['an unknown activity type', { activityTypeIds: [27] }, 'activityTypeIds'],
      ['a read-only field', { created: '2020-01-01T00:00:00Z' }, 'created'],
    ])('refuses %s', async (_what, changes, field) => {
      const send = () => tested.owner.api.patch(path, { name: 'CI', ...changes });
      await expectRefused(tested.world, send, [field]);
    });

    it('replaces an address that an import could not keep, and deletes a webhook that still has one', async () => {
      const { owner, world } = tested;
      const losesAddress = () =>
        world.dataSource.query("UPDATE webhook SET hook_url = '' WHERE id = ?", [id]);
      await losesAddress();
      const { status, body } = await owner.api.patch(path, { hookUrl: GIVEN.hookUrl });
      expect([status, body.hookUrl]).toEqual([200, GIVEN.hookUrl]);
      await losesAddress();
      expect((await owner.api.delete(path)).status).toBe(200);
    });

    it('applies each of three simultaneous changes', async () => {
      const { owner } = tested;
      const answers = await Promise.all([
        owner.api.patch(path, { name: 'CI' }),
        owner.api.patch(path, { description: 'Else' }),
        owner.api.patch(path, { allEvent: true }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect((await owner.api.get(path)).body).toMatchObject({
        name: 'CI',
        description: 'Else',
        allEvent: true,
      });
    });
  });

  describe('DELETE /projects/{projectIdOrKey}/webhooks/{webhookId}', () => {
    it('returns the webhook, removes it from the list, and records no activity', async () => {
      const { world, project, owner, webhooks } = tested;
      const second = await addWebhook();
      const { status, body } = await owner.api.delete(path);
      expect(status).toBe(200);
      expect(body).toEqual(shape());
      expect((await owner.api.get<{ id: number }[]>(webhooks)).body.map((webhook) => webhook.id)).toEqual([
        second,
      ]);
      expect(await activitiesOf(world, project)).toEqual([]);
    });

    it.each([
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['GET', '/secret'],
      ['POST', '/secret/rotate'],
      ['POST', '/test'],
      ['POST', '/enable'],
      ['GET', '/deliveries'],
    ])('makes the webhook return 404 to %s %s', async (method, rest) => {
      await tested.owner.api.delete(path);
      const answer = await tested.owner.api.send(method, path + rest);
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(errorShape(6));
    });

    it('makes room for another webhook at the limit', async () => {
      const { world, project, owner, webhooks } = tested;
      await world.dataSource.query(
        "UPDATE project_counter SET used = 100 WHERE project_id = ? AND name = 'webhook'",
        [project.id],
      );
      expect((await owner.api.post(webhooks, GIVEN)).status).toBe(409);
      await owner.api.delete(path);
      expect((await owner.api.post(webhooks, GIVEN)).status).toBe(201);
    });

    it('succeeds once beside simultaneous requests, which succeed or return 404', async () => {
      const { world, project, owner } = tested;
      const answers = await Promise.all([
        owner.api.delete(path),
        owner.api.patch(path, { name: 'CI' }),
        owner.api.delete(path),
        owner.api.post(`${path}/enable`),
        owner.api.post(`${path}/test`, {}),
      ]);
      const statuses = answers.map(({ status }) => status);
      expect([statuses[0], statuses[2]].sort()).toEqual([200, 404]);
      expect([200, 404]).toContain(statuses[1]);
      expect([200, 404]).toContain(statuses[3]);
      expect([201, 404]).toContain(statuses[4]);
      const counter = "SELECT used FROM project_counter WHERE project_id = ? AND name = 'webhook'";
      expect(await world.dataSource.query(counter, [project.id])).toEqual([{ used: 0 }]);
    });
  });
});
