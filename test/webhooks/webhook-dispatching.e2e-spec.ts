import { EndpointRepository } from '../../src/webhooks/data/endpoint.repository';
import { QUICK_DELIVERY, useWebhook } from '../support/webhooks';
import { useWorld } from '../support/world';

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
});
