import { Webhook } from 'standardwebhooks';
import { RoleType } from '../../src/access/role-type';
import { EndpointRepository } from '../../src/webhooks/data/endpoint.repository';
import { disable, eventually, QUICK_DELIVERY, useWebhook } from '../support/webhooks';
import { pullRequestComments, useWorld } from '../support/world';

describe('the dispatcher', () => {
  // The longest interval, so that only commits and recorded attempts start turns.
  const tested = useWebhook(
    useWorld({ ...QUICK_DELIVERY, WEBHOOK_POLL_INTERVAL: '60000', WEBHOOK_CONCURRENCY: '3' }),
  );

  it('looks for due endpoints once for a delivery that nothing follows', async () => {
    const { webhook, world } = tested;
    const findDue = vi.spyOn(world.service(EndpointRepository), 'findDue');
    await tested.comment();
    await webhook.delivered(1);
    await tested.comment();
    await webhook.delivered(2);
    expect(findDue).toHaveBeenCalledTimes(2);
  });

  it('continues while more is due than a process may hold', async () => {
    const { webhook } = tested;
    await tested.keepEvents(20);
    await webhook.enable();
    expect(await webhook.delivered(20)).toHaveLength(20);
  });

  it('reaches every endpoint when one fails', async () => {
    const { endpoint, receiver, webhook } = tested;
    const other = receiver.endpoint();
    const second = await tested.addWebhook(other);
    endpoint.answerWith({ status: 500 }, { status: 500 }, {});
    for (let number = 0; number < 3; number++) await tested.comment();
    await webhook.delivered(3);
    expect(await second.delivered(3)).toHaveLength(3);
  });

  it('returns to an endpoint that was busy while another was served', async () => {
    const { endpoint, receiver, webhook } = tested;
    const other = receiver.endpoint();
    await tested.addWebhook(other);
    // After a failure, an endpoint gets one delivery at a time.
    endpoint.answerWith({ status: 500 }, { isHeld: true }, {});
    await tested.comment();
    await endpoint.received(2);
    await tested.comment();
    await other.received(2);
    endpoint.release();
    expect(await webhook.delivered(2)).toHaveLength(2);
  });

  it('sends a delivery again that was restarted during its attempt', async () => {
    const { endpoint, webhook } = tested;
    endpoint.answerWith({ isHeld: true }, {});
    await tested.comment();
    await endpoint.received(1);
    const [delivery] = await webhook.deliveries();
    await tested.owner.api.post(`${webhook.path}/deliveries/${delivery?.id}/redeliver`);
    endpoint.release();
    expect(await endpoint.received(2)).toHaveLength(2);
  });

  describe('with deliveries that it holds for a webhook', () => {
    const HELD = 4;

    /** Starts one attempt, and lets the process hold the other deliveries. */
    beforeEach(async () => {
      const { endpoint, owner, project, webhook, world } = tested;
      endpoint.answerWith({ isHeld: true }, {});
      await disable(world, webhook);
      for (let number = 0; number < HELD; number++) {
        await owner.api.post(pullRequestComments(project), { content: 'For developers' });
      }
      await webhook.enable();
      await endpoint.received(1);
      const leased = 'SELECT id FROM webhook_delivery WHERE webhook_id = ? AND lease_until > 0';
      await eventually(
        () => world.dataSource.query<unknown[]>(leased, [webhook.id]),
        (rows) => rows.length === HELD,
      );
    });

    /** Returns the numbers of deliveries that were sent and withheld, once none is pending. */
    async function outcomes(): Promise<{ sent: number; withheld: number }> {
      const { webhook, world } = tested;
      const states = 'SELECT state FROM webhook_delivery WHERE webhook_id = ?';
      const rows = await eventually(
        () => world.dataSource.query<{ state: number }[]>(states, [webhook.id]),
        (all) => all.every(({ state }) => state > 0),
      );
      const sent = rows.filter(({ state }) => state === 1).length;
      return { sent, withheld: rows.length - sent };
    }

    it('withholds them once the role of its owner does not allow them', async () => {
      const { endpoint, owner, world } = tested;
      await world.admin.api.patch(`/users/${owner.id}`, { roleType: RoleType.Viewer });
      endpoint.release();
      expect(await outcomes()).toEqual({ sent: 1, withheld: HELD - 1 });
      expect(endpoint.requests).toHaveLength(1);
    });

    it('withholds them once its owner, who has left, is added again with such a role', async () => {
      const { endpoint, owner, world } = tested;
      const { body } = await world.admin.api.delete<{ userId: string }>(`/users/${owner.id}`);
      const { userId } = body;
      const again = { userId, name: 'Again', mailAddress: 'again@example.com', roleType: RoleType.Viewer };
      const { status } = await world.admin.api.post('/users', { ...again, password: 'a long password' });
      expect(status).toBe(201);
      endpoint.release();
      expect(await outcomes()).toEqual({ sent: 1, withheld: HELD - 1 });
    });

    it('signs them with a new secret from its rotation on', async () => {
      const { endpoint, owner, webhook } = tested;
      const { body } = await owner.api.post<{ secret: string }>(`${webhook.path}/secret/rotate`);
      endpoint.release();
      const requests = await endpoint.received(HELD);
      for (const { body: payload, headers } of requests.slice(1)) {
        expect(() =>
          new Webhook(body.secret).verify(payload, headers as Record<string, string>),
        ).not.toThrow();
      }
    });
  });
});
