import { eventually, QUICK_DELIVERY, useWebhook } from '../support/webhooks';
import { useWorld } from '../support/world';

describe('the id of a delivery', () => {
  const tested = useWebhook(useWorld(QUICK_DELIVERY));

  it('is random and different for each webhook and event', async () => {
    const { receiver, owner, endpoint, webhook } = tested;
    const other = receiver.endpoint();
    await tested.addWebhook(other);
    await tested.comment();
    await tested.comment();
    await owner.api.post(`${webhook.path}/test`, {});
    const requests = [...(await endpoint.received(3)), ...(await other.received(2))];
    const ids = requests.map(({ headers }) => String(headers['webhook-id']));
    for (const id of ids) expect(id).toMatch(/^msg_[\w-]{22,}$/);
    expect(new Set(ids).size).toBe(5);
  });

  it('stays the same across attempts, in the log and when resent', async () => {
    const { owner, endpoint, webhook } = tested;
    endpoint.answerWith({ status: 500 }, {});
    await tested.comment();
    await endpoint.received(2);
    const { id, messageId } = await webhook.firstDelivery(({ state }) => state === 'delivered');
    await owner.api.post(`${webhook.path}/deliveries/${id}/redeliver`);
    const requests = await endpoint.received(3);
    expect(requests.map(({ headers }) => headers['webhook-id'])).toEqual([messageId, messageId, messageId]);
  });

  it('keeps the number that an earlier version sent', async () => {
    const { world, endpoint, webhook } = tested;
    const [id] = await tested.keptDeliveries(1);
    // As the migration leaves existing rows.
    await world.dataSource.query('UPDATE webhook_delivery SET message_id = NULL WHERE id = ?', [id]);
    expect(await webhook.deliveries()).toMatchObject([{ id, messageId: `msg_${id}` }]);
    await webhook.enable();
    const [request] = await endpoint.received(1);
    expect(request?.headers['webhook-id']).toBe(`msg_${id}`);
  });

  it('stays unique after the database has been restored to an earlier state', async () => {
    const { world, owner, project, endpoint } = tested;
    const numbersOf = async (): Promise<unknown> =>
      world.dataSource.query('SELECT id FROM webhook_delivery ORDER BY id DESC LIMIT 1');
    await tested.comment('Before');
    const [first] = await endpoint.received(1);
    await eventually(
      () => tested.webhook.deliveries('&state=delivered'),
      (deliveries) => deliveries.length === 1,
    );
    const numbers = await numbersOf();
    // Restores the state before the event: it is gone, and its ids are assigned again.
    await world.write(async (manager) => {
      const [{ id } = { id: 0 }] = numbers as { id: number }[];
      const [row] = await manager.query<{ eventId: number }[]>(
        'SELECT event_id AS eventId FROM webhook_delivery WHERE id = ?',
        [id],
      );
      await manager.query('DELETE FROM webhook_delivery WHERE id = ?', [id]);
      await manager.query('DELETE FROM webhook_event WHERE id = ?', [row?.eventId]);
      if (world.dataSource.options.type === 'better-sqlite3') {
        await manager.query("UPDATE sqlite_sequence SET seq = ? WHERE name = 'webhook_delivery'", [id - 1]);
      }
    });
    if (world.dataSource.options.type !== 'better-sqlite3') {
      await world.dataSource.query('ALTER TABLE webhook_delivery AUTO_INCREMENT = 1');
    }
    await owner.api.post(`/issues/${project.issueKey}/comments`, { content: 'After' });
    const [, second] = await endpoint.received(2);
    expect(await numbersOf()).toEqual(numbers);
    expect(second?.headers['webhook-id']).not.toBe(first?.headers['webhook-id']);
  });
});
