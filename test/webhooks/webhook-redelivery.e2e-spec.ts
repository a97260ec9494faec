import { once } from 'node:events';
import { ACTIVITY_TYPES } from '../../src/activities/activity-type';
import { DeliveryRepository } from '../../src/webhooks/data/delivery.repository';
import { ClientGoneError } from '../../src/http/server/client-signal';
import { DeliveriesService } from '../../src/webhooks/log/deliveries.service';
import { DeliveryQueue } from '../../src/webhooks/sending/delivery-queue';
import { EndpointHealthService } from '../../src/webhooks/sending/endpoint-health.service';
import { type DeliveryDto } from '../../src/webhooks/dto/delivery.dto';
import { type ApiResponse } from '../support/api';
import { RawConnection } from '../support/raw-connection';
import { eventually, QUICK_DELIVERY, useWebhook } from '../support/webhooks';
import { useWorld } from '../support/world';

describe('a webhook asked to resend or to send a sample', () => {
  const tested = useWebhook(useWorld(QUICK_DELIVERY));

  afterEach(() => vi.restoreAllMocks());

  it('resends a failed delivery with the same id from the start of the schedule', async () => {
    const { owner, endpoint, webhook } = tested;
    endpoint.answerWith({ status: 500 });
    await tested.comment();
    const failed = await webhook.firstDelivery(({ state }) => state === 'failed');
    endpoint.answerWith({});
    const answer = await owner.api.post(`${webhook.path}/deliveries/${failed.id}/redeliver`);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id: failed.id, messageId: failed.messageId });
    const request = (await endpoint.received(4))[3];
    expect(request?.headers).toMatchObject({ 'webhook-id': failed.messageId, 'webhook-attempt': '1' });
    const again = await webhook.firstDelivery(({ state }) => state === 'delivered');
    expect(again.attempts.map(({ number }) => number)).toEqual([1, 2, 3, 1]);
  });

  it('resends a successful delivery with the same body', async () => {
    const { owner, endpoint, webhook } = tested;
    await tested.comment();
    const { id } = await webhook.firstDelivery(({ state }) => state === 'delivered');
    await owner.api.post(`${webhook.path}/deliveries/${id}/redeliver`);
    const [first, second] = await endpoint.received(2);
    expect(second?.body).toBe(first?.body);
  });

  it.each<[string, object, number[]]>([
    ['the failed deliveries of a time range by default', { since: '2026-03-02T00:00:00Z' }, [2]],
    [
      'the successful deliveries of a time range on request',
      { since: '2026-03-01T00:00:00Z', until: '2026-03-02T00:00:00Z', state: 'delivered' },
      [0],
    ],
    ['no delivery older than the time range', { since: '2026-03-03T00:00:00Z' }, []],
    [
      'no delivery at the exclusive end of the time range',
      { since: '2026-03-01T00:00:00Z', until: '2026-03-02T00:00:00Z' },
      [1],
    ],
  ])('resends %s', async (_what, body, expected) => {
    const { owner, endpoint, webhook } = tested;
    const all = await tested.keptDeliveries(3);
    for (const [index, [state, day]] of [
      [1, 1],
      [2, 1],
      [2, 2],
    ].entries()) {
      await tested.changeDelivery(all[index] as number, 'state', state as number);
      await tested.changeDelivery(all[index] as number, 'created', Date.parse(`2026-03-0${day}T00:00:00Z`));
    }
    await webhook.enable();
    const answer = await owner.api.post(`${webhook.path}/deliveries/redeliver`, body);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ count: expected.length });
    const requests = await endpoint.received(expected.length);
    const deliveries = await eventually(
      () => webhook.deliveries(),
      (found) => found.filter(({ attemptCount }) => attemptCount > 0).length === expected.length,
    );
    expect(requests.map(({ headers }) => headers['webhook-id'])).toEqual(
      expected.map((index) => deliveries[index]?.messageId),
    );
  });

  it('resends of a time range only what is still in the state', async () => {
    const { world, owner, webhook } = tested;
    const [first, second] = (await tested.keptDeliveries(2)) as [number, number];
    for (const id of [first, second]) await tested.changeDelivery(id, 'state', 2);
    await webhook.enable();
    const health = world.service(EndpointHealthService);
    const resetEnabled = health.resetEnabled.bind(health);
    vi.spyOn(health, 'resetEnabled').mockImplementationOnce(async (manager, id) => {
      await manager.query('UPDATE webhook_delivery SET state = ? WHERE id = ?', [1, first]);
      return resetEnabled(manager, id);
    });
    const answer = await owner.api.post(`${webhook.path}/deliveries/redeliver`, {
      since: '2020-01-01T00:00:00Z',
    });
    expect([answer.status, answer.body]).toEqual([200, { count: 1 }]);
    expect(await webhook.delivered(2)).toMatchObject([{ attemptCount: 0 }, { attemptCount: 1 }]);
  });

  it('resends nothing of a time range that it finds after its client has gone', async () => {
    const { world, owner, webhook } = tested;
    const [id] = (await tested.keptDeliveries(1)) as [number];
    await tested.changeDelivery(id, 'state', 2);
    await webhook.enable();
    const connection = await RawConnection.open(world.server.baseUrl);
    const rows = world.service(DeliveryRepository);
    const find = rows.findVisibleIds.bind(rows);
    vi.spyOn(rows, 'findVisibleIds').mockImplementationOnce(async (...of) => {
      const found = await find(...of);
      const gone = once(of[4].signal, 'abort');
      connection.socket.destroy();
      await gone;
      return found;
    });
    const redeliverRange = vi.spyOn(world.service(DeliveriesService), 'redeliverRange');
    const body = JSON.stringify({ since: '2020-01-01T00:00:00Z' });
    connection.send(
      `POST /api/v2${webhook.path}/deliveries/redeliver HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${owner.key}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await vi.waitUntil(() => redeliverRange.mock.results.length > 0);
    await expect(redeliverRange.mock.results[0]?.value).rejects.toThrow(ClientGoneError);
    expect(await webhook.deliveries()).toMatchObject([{ state: 'failed', attemptCount: 0 }]);
  });

  it.each(ACTIVITY_TYPES)('sends a sample of activity type %d', async (activityTypeId) => {
    const { project, owner, endpoint, webhook } = tested;
    const answer = await owner.api.post<DeliveryDto>(`${webhook.path}/test`, { activityTypeId });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ activityTypeId, activityId: null, webhookId: webhook.id });
    const [request] = await endpoint.received(1);
    expect(request?.headers['webhook-id']).toBe(answer.body.messageId);
    const payload = JSON.parse(request?.body ?? '') as { content: object };
    expect(payload).toMatchObject({ id: 0, type: activityTypeId, project: { id: project.id } });
    expect(Object.keys(payload.content)).not.toEqual([]);
  });

  it('sends a sample comment by default, even to a webhook without activity types', async () => {
    const { receiver, owner } = tested;
    const silent = receiver.endpoint();
    const { path } = await tested.addWebhook(silent, {});
    expect((await owner.api.post(`${path}/test`, {})).status).toBe(201);
    const [request] = await silent.received(1);
    expect(JSON.parse(request?.body ?? '')).toMatchObject({ type: 3 });
    expect((await owner.api.post(`${path}/test`, { activityTypeId: 27 })).status).toBe(400);
  });
});

describe('a leased delivery that is resent', () => {
  const tested = useWebhook(useWorld({ ...QUICK_DELIVERY, WEBHOOK_RETRY_DELAYS: '3600' }));

  afterEach(() => vi.restoreAllMocks());

  interface Row {
    id: number;
    state: number;
    attempt: number;
    leaseToken: string | null;
    restartRequested: number | null;
  }

  const rows = (): Promise<Row[]> =>
    tested.world.dataSource.query<Row[]>(
      `SELECT id, state, attempt, lease_token AS leaseToken, restart_requested AS restartRequested
         FROM webhook_delivery WHERE webhook_id = ? ORDER BY id`,
      [tested.webhook.id],
    );

  /** Keeps results from being recorded until the returned function is called. */
  function holdRecording(): () => void {
    const queue = tested.world.service(DeliveryQueue);
    const finish = queue.finish.bind(queue);
    let goOn = (): void => undefined;
    const mayBeRecorded = new Promise<void>((resolve) => (goOn = resolve));
    vi.spyOn(queue, 'finish').mockImplementation(async (attempts) => {
      await mayBeRecorded;
      return finish(attempts);
    });
    return goOn;
  }

  it('shows a consistent state and attempts while a result is recorded', async () => {
    const { endpoint, webhook, world } = tested;
    const goOn = holdRecording();
    await tested.comment();
    await endpoint.received(1);
    const [{ id } = { id: 0 }] = await rows();
    const deliveries = world.service(DeliveryRepository);
    const find = deliveries.find.bind(deliveries);
    vi.spyOn(deliveries, 'find').mockImplementationOnce(async (found) => {
      const row = await find(found);
      goOn();
      await webhook.delivered(1);
      return row;
    });
    expect(await webhook.delivery(id)).toMatchObject({
      state: 'delivered',
      attemptCount: 1,
      attempts: [{ number: 1 }],
    });
  });

  const redeliver = (id: number): Promise<ApiResponse<DeliveryDto>> =>
    tested.owner.api.post<DeliveryDto>(`${tested.webhook.path}/deliveries/${id}/redeliver`);

  /** Waits until everything is delivered and nothing else is sent, and returns how often each delivery was sent. */
  async function timesSent(): Promise<number[]> {
    const { endpoint, webhook } = tested;
    await webhook.delivered((await rows()).length);
    const deliveries = await webhook.deliveries();
    await tested.eventSeenElsewhere();
    const sent = endpoint.requests.map(({ headers }) => headers['webhook-id']);
    return deliveries.map(({ messageId }) => sent.filter((id) => id === messageId).length);
  }

  it.each(['success', 'failure'])('reaches the receiver once more after an unrecorded %s', async (result) => {
    const { endpoint, webhook } = tested;
    endpoint.answerWith({ status: result === 'success' ? 200 : 500 }, {});
    const goOn = holdRecording();
    await tested.comment();
    await endpoint.received(1);
    const [{ id } = { id: 0 }] = await rows();
    const answer = await redeliver(id);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id, state: 'pending', attemptCount: 0 });
    goOn();
    const again = await webhook.firstDelivery(({ attempts }) => attempts.length === 2);
    expect(again).toMatchObject({ state: 'delivered', attemptCount: 1 });
    expect(again.attempts.map(({ number }) => number)).toEqual([1, 1]);
    expect(await timesSent()).toEqual([2]);
    expect((await rows())[0]).toMatchObject({ restartRequested: null, attempt: 1 });
  });

  it('reaches the receiver once more after an attempt under way, despite two requests', async () => {
    const { endpoint } = tested;
    endpoint.answerWith({ isHeld: true }, {});
    await tested.comment();
    await endpoint.received(1);
    const [{ id } = { id: 0 }] = await rows();
    await redeliver(id);
    await redeliver(id);
    expect(endpoint.requests).toHaveLength(1);
    endpoint.release();
    await endpoint.received(2);
    expect(await timesSent()).toEqual([2]);
  });

  it('reaches the receiver once more when the clocks of processes differ', async () => {
    const { world, endpoint } = tested;
    endpoint.answerWith({ isHeld: true }, {});
    await tested.comment();
    await endpoint.received(1);
    const [{ id } = { id: 0 }] = await rows();
    await redeliver(id);
    await world.dataSource.query('UPDATE webhook_delivery SET restart_requested = 1 WHERE id = ?', [id]);
    endpoint.release();
    await endpoint.received(2);
    expect(await timesSent()).toEqual([2]);
  });

  it('reaches the receiver when it is resent before its attempt begins', async () => {
    const { endpoint, webhook } = tested;
    endpoint.answerWith({ isHeld: true }, {});
    await tested.keepEvents(2);
    await webhook.enable();
    await endpoint.received(1);
    const [, waiting] = await eventually(rows, (found) =>
      found.every(({ leaseToken }) => leaseToken !== null),
    );
    expect((await redeliver(waiting?.id ?? 0)).status).toBe(200);
    endpoint.release();
    const [, times] = await timesSent();
    expect(times).toBeGreaterThanOrEqual(1);
  });

  it('counts in a resent time range, and reaches the receiver once more', async () => {
    const { owner, endpoint, webhook } = tested;
    const goOn = holdRecording();
    await tested.comment();
    await endpoint.received(1);
    const answer = await owner.api.post(`${webhook.path}/deliveries/redeliver`, {
      since: '2020-01-01T00:00:00Z',
      state: 'pending',
    });
    expect([answer.status, answer.body]).toEqual([200, { count: 1 }]);
    goOn();
    await endpoint.received(2);
    expect(await timesSent()).toEqual([2]);
  });

  it('reaches the receiver once after the process holding it was killed', async () => {
    const { world, endpoint, webhook } = tested;
    await tested.keepEvents(1);
    const lease = (until: number): Promise<unknown> =>
      world.dataSource.query(
        "UPDATE webhook_delivery SET lease_token = 'killed', lease_until = ? WHERE webhook_id = ?",
        [until, webhook.id],
      );
    await lease(Date.now() + 60_000);
    await webhook.enable();
    const [{ id } = { id: 0 }] = await rows();
    expect((await redeliver(id)).status).toBe(200);
    expect(await rows()).toMatchObject([{ leaseToken: 'killed', restartRequested: expect.any(Number) }]);
    await lease(Date.now() - 1);
    await endpoint.received(1);
    expect(await timesSent()).toEqual([1]);
    expect((await rows())[0]).toMatchObject({ attempt: 1, restartRequested: null });
  });

  it('reaches the receiver once more after its lease has expired during an attempt', async () => {
    const { world, endpoint, webhook } = tested;
    endpoint.answerWith({ isHeld: true }, {});
    await tested.comment();
    await endpoint.received(1);
    const [{ id } = { id: 0 }] = await rows();
    const claim = vi.spyOn(world.service(DeliveryQueue), 'claim').mockResolvedValue([]);
    await world.dataSource.query('UPDATE webhook_delivery SET lease_until = 1 WHERE id = ?', [id]);
    await redeliver(id);
    endpoint.release();
    await webhook.firstDelivery(({ attempts }) => attempts.length === 1);
    expect(await rows()).toMatchObject([{ state: 0, attempt: 0, leaseToken: null }]);
    claim.mockRestore();
    await endpoint.received(2);
    expect(await timesSent()).toEqual([2]);
  });
});
