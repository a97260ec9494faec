import { setTimeout as sleep } from 'node:timers/promises';
import { type TestServer, startTestServer } from '../../src/testing';
import { DeliveryQueue } from '../../src/webhooks/sending/delivery-queue';
import { WebhookSender } from '../../src/webhooks/sending/webhook-sender';
import { ApiClient } from '../support/api';
import { Child } from '../support/child';
import { isEmbedded, itOnServer } from '../support/engines';
import { eventually, SHARED_DELIVERY, useWebhook, WebhookFixture } from '../support/webhooks';
import { useSharedDatabase } from '../support/world';

interface LeaseRow {
  id: number;
  messageId: string;
  state: number;
  attempt: number;
  leaseUntil: number;
  leaseToken: string | null;
}

describe('the lease of a delivery', () => {
  const service = useSharedDatabase(() => SHARED_DELIVERY);
  const tested = useWebhook(service);

  const rows = (): Promise<LeaseRow[]> =>
    tested.world.dataSource.query<LeaseRow[]>(
      `SELECT id, message_id AS messageId, state, attempt, lease_until AS leaseUntil, lease_token AS leaseToken
         FROM webhook_delivery ORDER BY id`,
    );

  const lease = (id: number, until: number): Promise<unknown> =>
    tested.world.dataSource.query(
      "UPDATE webhook_delivery SET lease_token = 'other', lease_until = ? WHERE id = ?",
      [until, id],
    );

  const heldIds = async (): Promise<string[]> =>
    (await rows()).filter(({ leaseUntil }) => leaseUntil > 0).map(({ messageId }) => messageId);

  it('keeps the delivery from other processes until it expires', async () => {
    const { endpoint, webhook } = tested;
    await tested.keepEvents(2);
    const [held, expired] = (await rows()) as [LeaseRow, LeaseRow];
    await lease(held.id, Date.now() + 60_000);
    await lease(expired.id, Date.now() - 1);
    await webhook.enable();
    const [first] = await endpoint.received(1);
    expect(first?.headers['webhook-id']).toBe(expired.messageId);
    await eventually(rows, ([, row]) => row?.state === 1);
    expect((await rows())[0]).toMatchObject({ leaseToken: 'other', state: 0, attempt: 0 });
    await lease(held.id, Date.now() - 1);
    const [, second] = await endpoint.received(2);
    expect(second?.headers).toMatchObject({ 'webhook-id': held.messageId, 'webhook-attempt': '1' });
  });

  it('lets a process that has lost it only log its attempt', async () => {
    const { endpoint, webhook } = tested;
    endpoint.answerWith({ isHeld: true });
    await tested.comment();
    await endpoint.received(1);
    const [{ id } = { id: 0 }] = await rows();
    await lease(id, Date.now() + 60_000);
    endpoint.release();
    const detail = await webhook.firstDelivery(({ attempts }) => attempts.length === 1);
    expect(detail).toMatchObject({ state: 'pending', attemptCount: 0, attempts: [{ status: 200 }] });
    expect(await rows()).toMatchObject([{ leaseToken: 'other', attempt: 0 }]);
  });

  it('ends at shutdown, so that the next process sends the unsent deliveries', async () => {
    const { world, endpoint, webhook } = tested;
    endpoint.answerWith({ isHeld: true });
    await tested.keepEvents(6);
    await webhook.enable();
    await endpoint.received(1);
    await eventually(heldIds, (ids) => ids.length > 1);
    const closing = world.server.app.close();
    const [inFlight] = await eventually(heldIds, (ids) => ids.length === 1);
    endpoint.answerWith({});
    endpoint.release();
    await closing;
    expect(endpoint.requests.map(({ headers }) => headers['webhook-id'])).toEqual([inFlight]);

    const next = await startTestServer({
      database: service.databaseUrl,
      demo: false,
      environment: SHARED_DELIVERY,
    });
    try {
      const deliveries = await shownBy(next).delivered(6);
      expect(deliveries.map(({ attemptCount }) => attemptCount)).toEqual([1, 1, 1, 1, 1, 1]);
      expect(new Set(endpoint.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(6);
      expect(endpoint.requests).toHaveLength(6);
    } finally {
      await next.close();
    }
  });

  it('ends at a restart with the embedded database only', async () => {
    const { world, endpoint, webhook } = tested;
    await tested.keepEvents(2);
    const [held] = (await rows()) as [LeaseRow];
    await lease(held.id, Date.now() + 60_000);
    await world.dataSource.query('UPDATE webhook_health SET enabled = ? WHERE webhook_id = ?', [
      true,
      webhook.id,
    ]);
    await world.server.app.close();
    const next = await startTestServer({
      database: service.databaseUrl,
      demo: false,
      environment: SHARED_DELIVERY,
    });
    try {
      await shownBy(next).delivered(isEmbedded ? 2 : 1);
      const sent = endpoint.requests.map(({ headers }) => headers['webhook-id']);
      expect(sent.filter((id) => id === held.messageId)).toHaveLength(isEmbedded ? 1 : 0);
      expect(sent).toHaveLength(isEmbedded ? 2 : 1);
    } finally {
      await next.close();
    }
  });

  it('lasts at shutdown until every finished attempt is recorded', async () => {
    const { world, endpoint, webhook } = tested;
    const queue = world.service(DeliveryQueue);
    const sender = world.service(WebhookSender);
    const [send, finish] = [sender.send.bind(sender), queue.finish.bind(queue)];
    let ended = 0;
    vi.spyOn(sender, 'send').mockImplementation(async (...parameters) => {
      const result = await send(...parameters);
      ended++;
      return result;
    });
    let goOn = (): void => undefined;
    const firstMayBeWritten = new Promise<void>((resolve) => (goOn = resolve));
    let written = 0;
    vi.spyOn(queue, 'finish').mockImplementation(async (attempts) => {
      await firstMayBeWritten;
      await sleep(20);
      const hasRestarted = await finish(attempts);
      written += attempts.length;
      return hasRestarted;
    });
    endpoint.answerWith({}, { isHeld: true });
    await tested.keepEvents(2);
    await webhook.enable();
    await endpoint.received(2);
    const closing = world.server.app.close();
    endpoint.release();
    await eventually(
      () => Promise.resolve(ended),
      (count) => count === 2,
    );
    goOn();
    await closing;
    expect(written).toBe(2);
  });

  /** Returns the webhook as another server shows it. */
  const shownBy = ({ baseUrl }: TestServer): WebhookFixture =>
    new WebhookFixture(tested.webhook.id, tested.project, { api: new ApiClient(baseUrl, tested.owner.key) });

  itOnServer('makes two processes send each event once, even while one waits for a response', async () => {
    const { endpoint, webhook } = tested;
    const count = 40;
    endpoint.answerWith({ isHeld: true }, {});
    const second = new Child('serve', service.databaseUrl, JSON.stringify(SHARED_DELIVERY));
    expect(await second.nextLine()).toBe('ready');
    await tested.keepEvents(count);
    await webhook.enable();
    // One server waits for a response and holds one more delivery; the other sends the rest.
    await endpoint.received(count - 1);
    endpoint.release();
    await eventually(
      () => webhook.deliveries('&state=delivered'),
      (delivered) => delivered.length === count && delivered.every(({ attemptCount }) => attemptCount === 1),
    );
    expect(new Set(endpoint.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(count);
    expect(endpoint.requests).toHaveLength(count);
    second.go();
    expect(await second.restOfLines()).toEqual([]);
  });
});
