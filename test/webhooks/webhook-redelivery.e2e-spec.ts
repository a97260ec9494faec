import { ACTIVITY_TYPES } from '../../src/activities/activity-type';
import { DeliveryRepository } from '../../src/webhooks/delivery/data/delivery.repository';
import { DeliveryQueue } from '../../src/webhooks/delivery/delivery-queue';
import { type DeliveryDto } from '../../src/webhooks/delivery/dto/delivery.dto';
import { type ApiResponse } from '../support/api';
import { eventually, QUICK_DELIVERY, useWebhook } from '../support/webhooks';
import { useWorld } from '../support/world';

describe('sending again, and samples,', () => {
  const tested = useWebhook(useWorld(QUICK_DELIVERY));

  it('sends a delivery again, with the same id, from the start of the schedule', async () => {
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

  it('sends a delivered one again', async () => {
    const { owner, endpoint, webhook } = tested;
    await tested.comment();
    const { id } = await webhook.firstDelivery(({ state }) => state === 'delivered');
    await owner.api.post(`${webhook.path}/deliveries/${id}/redeliver`);
    const [first, second] = await endpoint.received(2);
    expect(second?.body).toBe(first?.body);
  });

  it.each<[string, object, number[]]>([
    ['those that have failed, unless said otherwise', { since: '2026-03-02T00:00:00Z' }, [2]],
    [
      'those that were delivered',
      { since: '2026-03-01T00:00:00Z', until: '2026-03-02T00:00:00Z', state: 'delivered' },
      [0],
    ],
    ['none before the range', { since: '2026-03-03T00:00:00Z' }, []],
    ['none at its end', { since: '2026-03-01T00:00:00Z', until: '2026-03-02T00:00:00Z' }, [1]],
  ])('sends those of a time range again: %s', async (_what, body, expected) => {
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

  it('sends a sample to a webhook that is registered for nothing, and of a comment unless said otherwise', async () => {
    const { receiver, owner } = tested;
    const silent = receiver.endpoint();
    const { path } = await tested.addWebhook(silent, {});
    expect((await owner.api.post(`${path}/test`, {})).status).toBe(201);
    const [request] = await silent.received(1);
    expect(JSON.parse(request?.body ?? '')).toMatchObject({ type: 3 });
    expect((await owner.api.post(`${path}/test`, { activityTypeId: 27 })).status).toBe(400);
  });
});

describe('a delivery that is leased when it is sent again', () => {
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
      await finish(attempts);
    });
    return goOn;
  }

  it('is read with a state that agrees with its attempts', async () => {
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

  it.each(['success', 'failure'])('is sent once more after a %s that is not recorded yet', async (result) => {
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

  it('is sent once more after an attempt under way, however often that is asked meanwhile', async () => {
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

  it('is sent once more whatever the clocks of the processes show', async () => {
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

  it('is sent after that also if its attempt has not begun when that is asked', async () => {
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

  it('counts in the number of a time range, and is sent', async () => {
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

  it('is sent once more if the process that held it has been killed', async () => {
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

  it('is sent once more if its lease has expired, whatever the late holder records', async () => {
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
