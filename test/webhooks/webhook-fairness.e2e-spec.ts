import { type Endpoint } from '../support/receiver';
import {
  addWebhook,
  keepEvents,
  QUICK_DELIVERY,
  useDeliveries,
  type WebhookFixture,
} from '../support/webhooks';
import { useWorld } from '../support/world';

const CONCURRENCY = 4;
const ENDPOINT_CONCURRENCY = 2;
const BACKLOG = 30;

describe('a webhook receiver that hangs', () => {
  const tested = useDeliveries(
    useWorld({
      ...QUICK_DELIVERY,
      WEBHOOK_CONCURRENCY: String(CONCURRENCY),
      WEBHOOK_ENDPOINT_CONCURRENCY: String(ENDPOINT_CONCURRENCY),
      // Longer than a test, so that deliveries blocked by a hanging one make it fail.
      WEBHOOK_TIMEOUT: '60',
      WEBHOOK_LEASE: '120',
    }),
  );

  /** Adds a project with more deliveries for its receiver than this process holds. */
  async function addBacklog(endpoint: Endpoint): Promise<WebhookFixture> {
    const { world } = tested;
    const webhook = await addWebhook(world.admin, await world.addProject(), endpoint);
    await keepEvents(world, webhook, BACKLOG);
    await webhook.enable();
    return webhook;
  }

  it('delays no other receiver, however large its backlog', async () => {
    const hanging = tested.receiver.endpoint({ isHeld: true });
    await addBacklog(hanging);
    await hanging.received(1);
    const healthy = tested.receiver.endpoint();
    await tested.addWebhook(healthy);
    for (let count = 1; count <= 10; count++) {
      await tested.comment();
      await healthy.received(count);
    }
    expect(hanging.heldCount).toBe(1);
    hanging.answerWith({});
    hanging.release();
    await hanging.received(BACKLOG);
  });

  it('delays no other receiver, even when several hang', async () => {
    const several = Array.from({ length: CONCURRENCY - 1 }, () => tested.receiver.endpoint({ isHeld: true }));
    for (const hanging of several) await addBacklog(hanging);
    await Promise.all(several.map((hanging) => hanging.received(1)));
    const healthy = tested.receiver.endpoint();
    await addBacklog(healthy);
    await healthy.received(BACKLOG);
    for (const hanging of several) {
      expect(hanging.requests).toHaveLength(1);
      hanging.answerWith({});
      hanging.release();
    }
    await Promise.all(several.map((hanging) => hanging.received(BACKLOG)));
  });

  it('gets at most WEBHOOK_ENDPOINT_CONCURRENCY requests at once after successful responses', async () => {
    const endpoint = tested.receiver.endpoint(...Array<object>(10).fill({}), { isHeld: true });
    const webhook = await addBacklog(endpoint);
    await endpoint.received(10 + ENDPOINT_CONCURRENCY);
    const other = tested.receiver.endpoint();
    await tested.addWebhook(other);
    await tested.comment();
    await other.received(1);
    expect(endpoint.heldCount).toBe(ENDPOINT_CONCURRENCY);
    endpoint.answerWith({});
    endpoint.release();
    const delivered = await webhook.delivered(BACKLOG);
    expect(new Set(delivered.map(({ attemptCount }) => attemptCount))).toEqual(new Set([1]));
    expect(endpoint.requests).toHaveLength(BACKLOG);
  });
});
