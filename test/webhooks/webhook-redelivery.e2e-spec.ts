import { ACTIVITY_TYPES } from '../../src/activities/activity-type';
import { type DeliveryDto } from '../../src/webhooks/delivery/dto/delivery.dto';
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
