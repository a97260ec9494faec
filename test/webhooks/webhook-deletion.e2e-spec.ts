import { TransactionsService } from '../../src/database/transactions/transactions.service';
import { ProjectRemovalService } from '../../src/projects/project-removal.service';
import { DeliveryQueue } from '../../src/webhooks/sending/delivery-queue';
import { WebhookRemovalService } from '../../src/webhooks/webhook-removal.service';
import { anId } from '../support/shapes';
import { addWebhook, comment, disable, eventually, QUICK_DELIVERY, useWebhook } from '../support/webhooks';
import { useWorld } from '../support/world';

/** The stored rows of a webhook's deliveries. */
interface Stored {
  deliveries: number[];
  attempts: number[];
  events: number[];
}

describe('the delivery queue of a changed or deleted webhook', () => {
  const tested = useWebhook(useWorld({ ...QUICK_DELIVERY, WEBHOOK_ENDPOINT_CONCURRENCY: '1' }));

  afterEach(() => vi.restoreAllMocks());

  const deleteWebhook = async (): Promise<void> => {
    expect((await tested.owner.api.delete(tested.webhook.path)).status).toBe(200);
  };

  /** Deletes the webhook as another process would. */
  async function deleteElsewhere(): Promise<void> {
    const { world, webhook } = tested;
    await world.dataSource.query('UPDATE webhook SET deleted = 1 WHERE id = ?', [webhook.id]);
    await world.dataSource.query('DELETE FROM webhook_health WHERE webhook_id = ?', [webhook.id]);
  }

  const idsOf = async (sql: string, parameters: unknown[]): Promise<number[]> =>
    (await tested.world.dataSource.query<{ id: number }[]>(sql, parameters)).map(({ id }) => id);

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

  /** Returns those of the rows that still exist. */
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
    (await idsOf('SELECT id FROM webhook WHERE id = ?', [tested.webhook.id])).length > 0;

  /** Returns the deliveries that the process holds. */
  const held = (): Promise<number[]> =>
    idsOf('SELECT id FROM webhook_delivery WHERE webhook_id = ? AND lease_until > 0', [tested.webhook.id]);

  /** Starts one attempt, and lets the process hold more deliveries of the webhook. */
  async function holdSome(): Promise<void> {
    const { endpoint, webhook } = tested;
    endpoint.answerWith({ isHeld: true });
    await tested.keepEvents(4);
    await webhook.enable();
    await endpoint.received(1);
    await eventually(held, (ids) => ids.length === 4);
  }

  /** Acts once between the lease of the webhook's deliveries and their first attempt. */
  function beforeFirstAttempt(act: () => Promise<unknown>): void {
    const queue = tested.world.service(DeliveryQueue);
    const claim = queue.claim.bind(queue);
    const spy = vi.spyOn(queue, 'claim').mockImplementation(async (wanted) => {
      const claimed = await claim(wanted);
      if (claimed.some(({ webhookId }) => webhookId === tested.webhook.id)) {
        spy.mockRestore();
        await act();
      }
      return claimed;
    });
  }

  const removal = (): WebhookRemovalService => tested.world.service(WebhookRemovalService);

  async function remove(): Promise<void> {
    removal().start();
    await tested.world.background.whenIdle();
  }

  it('drops leased deliveries when the webhook is deleted', async () => {
    const { endpoint } = tested;
    await holdSome();
    await deleteWebhook();
    endpoint.answerWith({});
    endpoint.release();
    await tested.eventSeenElsewhere();
    expect(endpoint.requests).toHaveLength(1);
  });

  it('drops leased deliveries when another process deletes the webhook', async () => {
    const { receiver, endpoint } = tested;
    await holdSome();
    await tested.addWebhook(receiver.endpoint());
    await deleteElsewhere();
    // The process returns released deliveries with its next write.
    await eventually(
      async () => {
        await tested.comment();
        return held();
      },
      (ids) => ids.length === 1,
    );
    endpoint.answerWith({});
    endpoint.release();
    await tested.eventSeenElsewhere();
    expect(endpoint.requests).toHaveLength(1);
  });

  it('sends leased deliveries to the new address', async () => {
    const { receiver, owner, endpoint, webhook } = tested;
    await holdSome();
    const moved = receiver.endpoint();
    await owner.api.patch(webhook.path, { hookUrl: moved.url });
    endpoint.release();
    await moved.received(3);
    await webhook.delivered(4);
    expect(endpoint.requests).toHaveLength(1);
  });

  it('drops deliveries that are leased while the webhook is deleted', async () => {
    beforeFirstAttempt(deleteWebhook);
    await tested.comment();
    await tested.eventSeenElsewhere();
    expect(tested.endpoint.requests).toEqual([]);
  });

  it('sends deliveries that are leased while the address changes to the new one', async () => {
    const { receiver, owner, endpoint, webhook } = tested;
    const moved = receiver.endpoint();
    beforeFirstAttempt(() => owner.api.patch(webhook.path, { hookUrl: moved.url }));
    await tested.comment();
    await webhook.delivered(1);
    expect([moved.requests.length, endpoint.requests.length]).toEqual([1, 0]);
  });

  it('retries a failed attempt at the new address', async () => {
    const { receiver, owner, endpoint, webhook } = tested;
    const moved = receiver.endpoint();
    endpoint.answerWith({ isHeld: true, status: 500 });
    await tested.comment();
    await endpoint.received(1);
    await owner.api.patch(webhook.path, { hookUrl: moved.url });
    endpoint.release();
    const [retry] = await moved.received(1);
    expect(retry?.headers['webhook-attempt']).toBe('2');
  });

  it('applies new activity types from the next event on', async () => {
    const { project, owner, endpoint, webhook } = tested;
    await owner.api.patch(webhook.path, { allEvent: false, activityTypeIds: [5] });
    await tested.comment();
    await owner.api.post('/wikis', { projectId: project.id, name: 'Page', content: '' });
    const [first] = await endpoint.received(1);
    expect(JSON.parse(first?.body ?? '')).toMatchObject({ type: 5, content: { name: 'Page' } });
    expect(await webhook.deliveries()).toHaveLength(1);
  });

  it('loses the rows of the deleted webhook, and keeps those of others', async () => {
    const { receiver, owner, webhook } = tested;
    const other = await tested.addWebhook(receiver.endpoint());
    await tested.comment();
    await owner.api.post(`${webhook.path}/test`, {});
    await webhook.delivered(2);
    await other.delivered(1);
    const [stored, kept] = [await storedOf(webhook), await storedOf(other)];
    expect(stored).toMatchObject({ deliveries: [anId, anId], attempts: [anId, anId], events: [anId, anId] });
    await deleteWebhook();
    await tested.world.background.whenIdle();
    expect(await leftOf(stored)).toEqual({ ...NOTHING, events: kept.events });
    expect(await leftOf(kept)).toEqual(kept);
  });

  it('loses many rows of the deleted webhook in short transactions', async () => {
    const { world, webhook } = tested;
    await disable(world, webhook);
    await world.write(async (manager) => {
      await manager.query(
        `INSERT INTO webhook_event (activity_type, payload, created)
         VALUES ${Array.from({ length: 450 }, () => "(3, 'many', 1)").join()}`,
      );
      await manager.query(
        `INSERT INTO webhook_delivery (event_id, webhook_id, state, attempt, next_at, lease_until, created)
         SELECT id, ${webhook.id}, 0, 0, 1, 0, 1 FROM webhook_event WHERE payload = 'many'`,
      );
    });
    const stored = await storedOf(webhook);
    await tested.world.background.whenIdle();
    await world.dataSource.query('DELETE FROM webhook WHERE deleted = 1');
    const run = vi.spyOn(world.service(TransactionsService), 'run');
    await deleteWebhook();
    await tested.world.background.whenIdle();
    const transactions = run.mock.calls.length;
    run.mockRestore();
    // The deletion itself, two batches of 200, and the rest.
    expect(transactions).toBe(4);
    expect(stored.deliveries).toHaveLength(450);
    expect(await leftOf(stored)).toEqual(NOTHING);
  });

  it('loses the rows left by a stopped process at the next start', async () => {
    const { world, webhook } = tested;
    await disable(world, webhook);
    await tested.comment();
    const stored = await storedOf(webhook);
    await deleteElsewhere();
    tested.world.startBackgroundWork();
    await tested.world.background.whenIdle();
    expect(stored.deliveries).toHaveLength(1);
    expect(await leftOf(stored)).toEqual(NOTHING);
    expect(await rowExists()).toBe(true);
  });

  it('keeps the row of the deleted webhook at first, but not after eleven minutes', async () => {
    await deleteWebhook();
    await remove();
    expect(await rowExists()).toBe(true);
    const elevenMinutesAgo = Date.now() - 11 * 60_000;
    await tested.world.dataSource.query('UPDATE webhook SET updated = ? WHERE id = ?', [
      elevenMinutesAgo,
      tested.webhook.id,
    ]);
    await remove();
    expect(await rowExists()).toBe(false);
  });

  it('ignores the result of an attempt that ends after the deletion', async () => {
    const { receiver, owner, endpoint, webhook } = tested;
    const other = await tested.addWebhook(receiver.endpoint());
    endpoint.answerWith({ isHeld: true, status: 410 });
    await tested.comment();
    await endpoint.received(1);
    const stored = await storedOf(webhook);
    await deleteWebhook();
    await tested.world.background.whenIdle();
    endpoint.release();
    await tested.comment();
    await other.delivered(2);
    expect((await leftOf(stored)).deliveries).toEqual([]);
    expect(await idsOf('SELECT id FROM notification WHERE user_id = ?', [owner.id])).toEqual([]);
  });

  /** Deletes the project; its contents stay. */
  async function deleteProject(): Promise<void> {
    const { world, project } = tested;
    vi.spyOn(world.service(ProjectRemovalService), 'start').mockReturnValue();
    expect((await world.admin.api.delete(`/projects/${project.key}`)).status).toBe(200);
  }

  /** Waits for an event of another project, by which time every webhook has had its turn. */
  async function eventSeenInAnotherProject(): Promise<void> {
    const { world, receiver } = tested;
    const elsewhere = await world.addProject();
    const other = receiver.endpoint();
    await addWebhook(world.admin, elsewhere, other);
    await comment(world.admin, elsewhere);
    await other.received(1);
  }

  it('drops leased deliveries when the project is deleted', async () => {
    const { endpoint } = tested;
    await holdSome();
    await deleteProject();
    endpoint.answerWith({});
    endpoint.release();
    await eventSeenInAnotherProject();
    expect(endpoint.requests).toHaveLength(1);
  });

  it('skips due deliveries of a deleted project', async () => {
    const { world, endpoint, webhook } = tested;
    await tested.keepEvents(2);
    await deleteProject();
    await world.dataSource.query('UPDATE webhook_health SET enabled = 1 WHERE webhook_id = ?', [webhook.id]);
    await eventSeenInAnotherProject();
    expect(endpoint.requests).toEqual([]);
  });

  it('loses the rows of a deleted project, and keeps those of others', async () => {
    const { world, receiver, project, owner, webhook } = tested;
    const projects = world.service(ProjectRemovalService);
    const elsewhere = await world.addProject();
    const kept = await addWebhook(world.admin, elsewhere, receiver.endpoint());
    await comment(world.admin, elsewhere);
    await tested.comment();
    await owner.api.post(`${webhook.path}/test`, {});
    await webhook.delivered(2);
    await kept.delivered(1);
    const [stored, storedElsewhere] = [await storedOf(webhook), await storedOf(kept)];
    // Otherwise the rest would be deleted with the project's row, not by its own removers.
    projects.register('pull requests', () => Promise.reject(new Error('That is far enough.')));
    await world.dataSource.query('UPDATE project SET deleted = 1 WHERE id = ?', [project.id]);
    projects.start();
    await world.background.whenIdle();
    expect(await rowExists()).toBe(false);
    expect(await leftOf(stored)).toEqual(NOTHING);
    expect(await leftOf(storedElsewhere)).toEqual(storedElsewhere);
  });
});
