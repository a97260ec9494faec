import { type Endpoint, Receiver } from './support/receiver';
import {
  addWebhook,
  comment,
  disable,
  eventually,
  QUICK_DELIVERY,
  type WebhookFixture,
} from './support/webhooks';
import { type Person, type ProjectFixture, World } from './support/world';

const CONCURRENCY = 4;
const ENDPOINT_CONCURRENCY = 2;
const BACKLOG = 30;

describe('a receiver that hangs', () => {
  let world: World;
  let receiver: Receiver;
  let owner: Person;

  beforeAll(async () => {
    world = await World.start({
      ...QUICK_DELIVERY,
      WEBHOOK_CONCURRENCY: String(CONCURRENCY),
      WEBHOOK_ENDPOINT_CONCURRENCY: String(ENDPOINT_CONCURRENCY),
      // Longer than a test: whatever waits for the one that hangs fails.
      WEBHOOK_TIMEOUT: '60',
      WEBHOOK_LEASE: '120',
    });
    receiver = await Receiver.start();
    owner = world.admin;
  });
  afterAll(async () => {
    await world.stop();
    await receiver.stop();
  });

  /** A project whose receiver has more to take than this process holds. */
  async function addBacklog(
    endpoint: Endpoint,
  ): Promise<{ project: ProjectFixture; webhook: WebhookFixture }> {
    const project = await world.addProject();
    const webhook = await addWebhook(owner, project, endpoint);
    await disable(world, webhook);
    for (let count = 0; count < BACKLOG; count++) await comment(owner, project);
    await owner.api.post(`${webhook.path}/enable`);
    return { project, webhook };
  }

  it('delays no other receiver, however much it has to take', async () => {
    const hanging = receiver.endpoint({ isHeld: true });
    await addBacklog(hanging);
    await hanging.received(1);
    const project = await world.addProject();
    const healthy = receiver.endpoint();
    await addWebhook(owner, project, healthy);
    for (let count = 1; count <= 10; count++) {
      await comment(owner, project);
      await healthy.received(count);
    }
    expect(hanging.heldCount).toBe(1);
    hanging.answerWith({});
    hanging.release();
    await hanging.received(BACKLOG);
  });

  it('delays no other receiver when several do', async () => {
    const several = Array.from({ length: CONCURRENCY - 1 }, () => receiver.endpoint({ isHeld: true }));
    for (const hanging of several) await addBacklog(hanging);
    await Promise.all(several.map((hanging) => hanging.received(1)));
    const healthy = receiver.endpoint();
    await addBacklog(healthy);
    await healthy.received(BACKLOG);
    for (const hanging of several) {
      expect(hanging.requests).toHaveLength(1);
      hanging.answerWith({});
      hanging.release();
    }
    await Promise.all(several.map((hanging) => hanging.received(BACKLOG)));
  });

  it('is sent no more at once than one receiver may be, after it has answered well', async () => {
    const endpoint = receiver.endpoint(...Array<object>(10).fill({}), { isHeld: true });
    const { webhook } = await addBacklog(endpoint);
    await endpoint.received(10 + ENDPOINT_CONCURRENCY);
    const project = await world.addProject();
    const other = receiver.endpoint();
    await addWebhook(owner, project, other);
    await comment(owner, project);
    await other.received(1);
    expect(endpoint.heldCount).toBe(ENDPOINT_CONCURRENCY);
    endpoint.answerWith({});
    endpoint.release();
    const delivered = await eventually(
      () => webhook.deliveries('&state=delivered'),
      (deliveries) => deliveries.length === BACKLOG,
    );
    expect(new Set(delivered.map(({ attemptCount }) => attemptCount))).toEqual(new Set([1]));
    expect(endpoint.requests).toHaveLength(BACKLOG);
  });
});
