import { Transactions } from '../src/database/transactions';
import { ProjectRemovalService } from '../src/projects/project-removal.service';
import { WebhookRemovalService } from '../src/webhooks/delivery/webhook-removal.service';
import { type Endpoint, Receiver } from './support/receiver';
import { anId } from './support/shapes';
import {
  addWebhook,
  comment,
  disable,
  eventually,
  QUICK_DELIVERY,
  type WebhookFixture,
} from './support/webhooks';
import { type Person, type ProjectFixture, World } from './support/world';

/** What is stored of a webhook's deliveries. */
interface Stored {
  deliveries: number[];
  attempts: number[];
  events: number[];
}

describe('what is on its way to a webhook', () => {
  let world: World;
  let receiver: Receiver;
  let project: ProjectFixture;
  let owner: Person;
  let endpoint: Endpoint;
  let webhook: WebhookFixture;

  beforeAll(async () => {
    world = await World.start({ ...QUICK_DELIVERY, WEBHOOK_ENDPOINT_CONCURRENCY: '1' });
    receiver = await Receiver.start();
  });
  afterAll(async () => {
    await world.stop();
    await receiver.stop();
  });
  beforeEach(async () => {
    project = await world.addProject();
    owner = await world.addMember(project, undefined, true);
    endpoint = receiver.endpoint();
    webhook = await addWebhook(owner, project, endpoint);
  });

  const deleteWebhook = async (): Promise<void> => {
    expect((await owner.api.delete(webhook.path)).status).toBe(200);
  };

  /** As another process would. */
  async function deleteElsewhere(): Promise<void> {
    await world.dataSource.query('UPDATE webhook SET deleted = 1 WHERE id = ?', [webhook.id]);
    await world.dataSource.query('DELETE FROM webhook_health WHERE webhook_id = ?', [webhook.id]);
  }

  const idsOf = async (sql: string, parameters: unknown[]): Promise<number[]> =>
    (await world.dataSource.query<{ id: number }[]>(sql, parameters)).map(({ id }) => id);

  async function storedOf({ id }: { id: number }): Promise<Stored> {
    const ofWebhook = 'FROM webhook_delivery d WHERE d.webhook_id = ?';
    return {
      deliveries: await idsOf(`SELECT d.id AS id ${ofWebhook}`, [id]),
      attempts: await idsOf(
        `SELECT id FROM webhook_delivery_attempt WHERE delivery_id IN (SELECT d.id ${ofWebhook})`,
        [id],
      ),
      events: await idsOf(`SELECT d.event_id AS id ${ofWebhook}`, [id]),
    };
  }

  /** Which of that is still there. */
  async function leftOf({ deliveries, attempts, events }: Stored): Promise<Stored> {
    const among = (table: string, ids: number[]) =>
      idsOf(`SELECT id FROM ${table} WHERE id IN (${ids.join() || 0}) ORDER BY id`, []);
    return {
      deliveries: await among('webhook_delivery', deliveries),
      attempts: await among('webhook_delivery_attempt', attempts),
      events: await among('webhook_event', events),
    };
  }

  const NOTHING: Stored = { deliveries: [], attempts: [], events: [] };

  const rowExists = async (): Promise<boolean> =>
    (await idsOf('SELECT id FROM webhook WHERE id = ?', [webhook.id])).length > 0;

  /** Those of its deliveries that the process holds. */
  const held = (): Promise<number[]> =>
    idsOf('SELECT id FROM webhook_delivery WHERE webhook_id = ? AND lease_until > 0', [webhook.id]);

  const deliveredTo = (fixture: WebhookFixture, count: number): Promise<unknown> =>
    eventually(
      () => fixture.deliveries('&state=delivered'),
      (delivered) => delivered.length === count,
    );

  /** One attempt is under way, and the process holds more for the webhook. */
  async function holdSome(): Promise<void> {
    endpoint.answerWith({ isHeld: true });
    await disable(world, webhook);
    for (let number = 0; number < 4; number++) await comment(owner, project);
    await owner.api.post(`${webhook.path}/enable`);
    await endpoint.received(1);
    await eventually(held, (ids) => ids.length === 4);
  }

  /** Another webhook of the project has got an event, so that this one's turn has come and gone. */
  async function eventSeenElsewhere(): Promise<void> {
    const other = receiver.endpoint();
    await addWebhook(owner, project, other);
    await comment(owner, project);
    await other.received(1);
  }

  const removal = (): WebhookRemovalService => world.service(WebhookRemovalService);

  async function remove(): Promise<void> {
    removal().start();
    await removal().whenIdle();
  }

  it('is not sent any more when it is deleted, though a process holds it already', async () => {
    await holdSome();
    await deleteWebhook();
    endpoint.answerWith({});
    endpoint.release();
    await eventSeenElsewhere();
    expect(endpoint.requests).toHaveLength(1);
  });

  it('is not sent any more when another process has deleted it', async () => {
    await holdSome();
    await addWebhook(owner, project, receiver.endpoint());
    await deleteElsewhere();
    // What a process lets go it gives back when it writes next.
    await eventually(
      async () => {
        await comment(owner, project);
        return held();
      },
      (ids) => ids.length === 1,
    );
    endpoint.answerWith({});
    endpoint.release();
    await eventSeenElsewhere();
    expect(endpoint.requests).toHaveLength(1);
  });

  it('goes to the new address, though a process holds it already', async () => {
    await holdSome();
    const moved = receiver.endpoint();
    await owner.api.patch(webhook.path, { hookUrl: moved.url });
    endpoint.release();
    await moved.received(3);
    await deliveredTo(webhook, 4);
    expect(endpoint.requests).toHaveLength(1);
  });

  it('is retried at the new address', async () => {
    const moved = receiver.endpoint();
    endpoint.answerWith({ isHeld: true, status: 500 });
    await comment(owner, project);
    await endpoint.received(1);
    await owner.api.patch(webhook.path, { hookUrl: moved.url });
    endpoint.release();
    const [retry] = await moved.received(1);
    expect(retry?.headers['webhook-attempt']).toBe('2');
  });

  it('follows new types of events from the next event on', async () => {
    await owner.api.patch(webhook.path, { allEvent: false, activityTypeIds: [5] });
    await comment(owner, project);
    await owner.api.post('/wikis', { projectId: project.id, name: 'Page', content: '' });
    const [first] = await endpoint.received(1);
    expect(JSON.parse(first?.body ?? '')).toMatchObject({ type: 5, content: { name: 'Page' } });
    expect(await webhook.deliveries()).toHaveLength(1);
  });

  it('is removed with it, and what others get stays', async () => {
    const other = await addWebhook(owner, project, receiver.endpoint());
    await comment(owner, project);
    await owner.api.post(`${webhook.path}/test`, {});
    await deliveredTo(webhook, 2);
    await deliveredTo(other, 1);
    const [stored, kept] = [await storedOf(webhook), await storedOf(other)];
    expect(stored).toMatchObject({ deliveries: [anId, anId], attempts: [anId, anId], events: [anId, anId] });
    await deleteWebhook();
    await removal().whenIdle();
    expect(await leftOf(stored)).toEqual({ ...NOTHING, events: kept.events });
    expect(await leftOf(kept)).toEqual(kept);
  });

  it('is removed in short transactions', async () => {
    await disable(world, webhook);
    const firstId = 1_000_000;
    const rows = Array.from({ length: 450 }, (_, index) => firstId + index);
    await world.write(async (manager) => {
      await manager.query(
        `INSERT INTO webhook_event (id, activity_type, payload, created)
         VALUES ${rows.map((id) => `(${id}, 3, '{}', 1)`).join()}`,
      );
      await manager.query(
        `INSERT INTO webhook_delivery (event_id, webhook_id, state, attempt, next_at, lease_until, created)
         VALUES ${rows.map((id) => `(${id}, ${webhook.id}, 0, 0, 1, 0, 1)`).join()}`,
      );
    });
    const stored = await storedOf(webhook);
    await removal().whenIdle();
    await world.dataSource.query('DELETE FROM webhook WHERE deleted = 1');
    const run = jest.spyOn(world.service(Transactions), 'run');
    await deleteWebhook();
    await removal().whenIdle();
    const transactions = run.mock.calls.length;
    run.mockRestore();
    // The deletion itself, two batches of 200, and the rest.
    expect(transactions).toBe(4);
    expect(stored.deliveries).toHaveLength(450);
    expect(await leftOf(stored)).toEqual(NOTHING);
  });

  it('is removed by the next start when the process has been stopped', async () => {
    await disable(world, webhook);
    await comment(owner, project);
    const stored = await storedOf(webhook);
    await deleteElsewhere();
    removal().onApplicationBootstrap();
    await removal().whenIdle();
    expect(stored.deliveries).toHaveLength(1);
    expect(await leftOf(stored)).toEqual(NOTHING);
    expect(await rowExists()).toBe(true);
  });

  it('may still be added by a change that met the webhook before; the row goes when none can', async () => {
    await deleteWebhook();
    await remove();
    expect(await rowExists()).toBe(true);
    const elevenMinutesAgo = Date.now() - 11 * 60_000;
    await world.dataSource.query('UPDATE webhook SET updated = ? WHERE id = ?', [
      elevenMinutesAgo,
      webhook.id,
    ]);
    await remove();
    expect(await rowExists()).toBe(false);
  });

  it('does no harm when its attempt ends after it has been removed', async () => {
    const other = await addWebhook(owner, project, receiver.endpoint());
    endpoint.answerWith({ isHeld: true, status: 410 });
    await comment(owner, project);
    await endpoint.received(1);
    const stored = await storedOf(webhook);
    await deleteWebhook();
    await removal().whenIdle();
    endpoint.release();
    await comment(owner, project);
    await deliveredTo(other, 2);
    expect((await leftOf(stored)).deliveries).toEqual([]);
    expect(await idsOf('SELECT id FROM notification WHERE user_id = ?', [owner.id])).toEqual([]);
  });

  it('is removed with its project', async () => {
    const projects = world.service(ProjectRemovalService);
    const elsewhere = await world.addProject();
    const kept = await addWebhook(world.admin, elsewhere, receiver.endpoint());
    await comment(world.admin, elsewhere);
    await comment(owner, project);
    await owner.api.post(`${webhook.path}/test`, {});
    await deliveredTo(webhook, 2);
    await deliveredTo(kept, 1);
    const [stored, storedElsewhere] = [await storedOf(webhook), await storedOf(kept)];
    // Without its own removers the rest would go with the project's row.
    projects.register('pull requests', () => Promise.reject(new Error('That is far enough.')));
    await world.dataSource.query('UPDATE project SET deleted = 1 WHERE id = ?', [project.id]);
    projects.start();
    await projects.whenIdle();
    expect(await rowExists()).toBe(false);
    expect(await leftOf(stored)).toEqual(NOTHING);
    expect(await leftOf(storedElsewhere)).toEqual(storedElsewhere);
  });
});
