import { Logger } from '@nestjs/common';
import { type Answer, type Endpoint, Receiver } from '../support/receiver';
import { eventually, QUICK_DELIVERY, useDeliveries, type WebhookFixture } from '../support/webhooks';
import { useWorld } from '../support/world';

const RESPONSE_LIMIT = 16_384;

describe('a webhook delivery', () => {
  const tested = useDeliveries(useWorld({ ...QUICK_DELIVERY, WEBHOOK_TIMEOUT: '1' }));

  /** Sends one event to a receiver with the given responses. */
  async function sendTo(...answers: Answer[]): Promise<{ endpoint: Endpoint; webhook: WebhookFixture }> {
    const endpoint = tested.receiver.endpoint(...answers);
    const webhook = await tested.addWebhook(endpoint);
    await tested.comment();
    return { endpoint, webhook };
  }

  it.each([200, 201, 202, 204, 299])('succeeds at the first attempt with status %d', async (status) => {
    const { webhook, endpoint } = await sendTo({ status });
    const delivery = await webhook.firstDelivery(({ state }) => state !== 'pending');
    expect(delivery).toMatchObject({ state: 'delivered', attemptCount: 1, nextAttempt: null });
    expect(delivery.finished).not.toBeNull();
    expect(delivery.attempts).toMatchObject([{ number: 1, status, error: '' }]);
    expect(endpoint.requests).toHaveLength(1);
  });

  it.each([300, 301, 302, 304, 307, 308, 400, 401, 403, 404, 409, 422, 500, 501, 503, 599])(
    'retries after status %d',
    async (status) => {
      const { webhook } = await sendTo({ status }, { status: 200 });
      const delivery = await webhook.firstDelivery(({ state }) => state !== 'pending');
      expect(delivery).toMatchObject({ state: 'delivered', attemptCount: 2 });
      expect(delivery.attempts).toMatchObject([
        { number: 1, status, error: `The receiver answered ${status}.` },
        { number: 2, status: 200, error: '' },
      ]);
    },
  );

  it('keeps its id and body across attempts, and numbers them', async () => {
    const { endpoint } = await sendTo({ status: 500 }, { status: 400 }, {});
    const requests = await endpoint.received(3);
    expect(requests.map(({ headers }) => headers['webhook-attempt'])).toEqual(['1', '2', '3']);
    expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
  });

  it('fails after the last scheduled attempt, and logs a warning', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const { webhook, endpoint } = await sendTo({ status: 500, body: 'broken' });
    const delivery = await webhook.firstDelivery(({ state }) => state !== 'pending');
    expect(delivery).toMatchObject({ state: 'failed', attemptCount: 3, nextAttempt: null });
    expect(delivery.finished).not.toBeNull();
    expect(delivery.attempts.map(({ number, response }) => [number, response])).toEqual([
      [1, 'broken'],
      [2, 'broken'],
      [3, 'broken'],
    ]);
    const line = {
      deliveryId: delivery.id,
      webhookId: webhook.id,
      projectId: tested.project.id,
      attempts: 3,
    };
    const text = 'A delivery has failed permanently';
    expect(
      await eventually(
        () => Promise.resolve(warn.mock.calls.filter(([, message]) => message === text)),
        (lines) => lines.length > 0,
      ),
    ).toEqual([[{ ...line, error: 'The receiver answered 500.' }, text]]);
    warn.mockRestore();
    const next = tested.comment();
    await Promise.all([next, endpoint.received(6)]);
    expect(new Set(endpoint.requests.slice(0, 3).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(endpoint.requests[3]?.headers['webhook-id']).not.toBe(endpoint.requests[0]?.headers['webhook-id']);
  });

  it.each<[string, () => Answer, number, number]>([
    ['a Retry-After in seconds', () => asking('120'), 119, 121],
    ['a Retry-After as a date', () => asking(new Date(Date.now() + 600_000).toUTCString()), 597, 601],
    ['a Retry-After of more than a day', () => asking('9999999'), 86_399, 86_401],
    ['a 429 with Retry-After', () => ({ ...asking('10'), status: 429 }), 9, 11],
    ['a 429 without Retry-After', () => ({ status: 429 }), 59, 61],
    ['a 502', () => ({ status: 502 }), 59, 61],
    ['a 504', () => ({ status: 504 }), 59, 61],
  ])('pauses before the next attempt after %s', async (_what, answer, least, most) => {
    const { webhook } = await sendTo(answer());
    const { state, nextAttempt, attempts } = await webhook.firstDelivery(
      ({ attemptCount }) => attemptCount === 1,
    );
    const [{ started } = { started: '' }] = attempts;
    const pause = (Date.parse(nextAttempt ?? '') - Date.parse(started)) / 1000;
    expect(state).toBe('pending');
    expect(pause).toBeGreaterThanOrEqual(least);
    expect(pause).toBeLessThanOrEqual(most + 1);
  });

  const asking = (retryAfter: string): Answer => ({ status: 503, headers: { 'Retry-After': retryAfter } });

  it.each<[string, Answer, number | null]>([
    ['that never responds', { isHeld: true }, null],
    ['whose response never ends', { isDripping: true }, 200],
    ['whose error response never ends', { isDripping: true, status: 500 }, 500],
  ])('ends an attempt at the timeout with a receiver %s', async (_what, answer, status) => {
    const { webhook } = await sendTo(answer, {});
    const { attempts } = await webhook.firstDelivery(({ state }) => state === 'delivered');
    expect(attempts).toMatchObject([{ status, error: 'No complete response within 1 s.' }, { status: 200 }]);
    expect(attempts[0]?.duration).toBeGreaterThanOrEqual(950);
    expect(attempts[0]?.duration).toBeLessThan(5000);
  });

  it('keeps the Retry-After and the beginning of an error response that is cut off', async () => {
    const { webhook } = await sendTo({ ...asking('600'), body: 'Come back', isCutOff: true });
    const { nextAttempt, attempts } = await webhook.firstDelivery(({ attemptCount }) => attemptCount > 0);
    expect(attempts).toMatchObject([{ status: 503, response: 'Come back' }]);
    const [{ started } = { started: '' }] = attempts;
    expect(Date.parse(nextAttempt ?? '') - Date.parse(started)).toBeGreaterThanOrEqual(599_000);
  });

  it('counts a closed connection as a failed attempt', async () => {
    const { webhook } = await sendTo({ isClosing: true }, {});
    const { attempts } = await webhook.firstDelivery(({ state }) => state === 'delivered');
    expect(attempts).toMatchObject([{ status: null, response: '' }, { status: 200 }]);
    expect(attempts[0]?.error).toMatch(/closed/);
  });

  it('fails when the receiver refuses connections', async () => {
    const gone = await Receiver.start();
    const endpoint = gone.endpoint();
    await gone.stop();
    const webhook = await tested.addWebhook(endpoint);
    await tested.comment();
    const { attempts } = await webhook.firstDelivery(({ state }) => state === 'failed');
    expect(attempts).toHaveLength(3);
    expect(attempts[0]?.error).toMatch(/ECONNREFUSED/);
  });

  it.each([301, 302, 303, 307, 308])('follows no redirect with status %d', async (status) => {
    const target = tested.receiver.endpoint();
    const { webhook, endpoint } = await sendTo({ status, headers: { Location: target.url } });
    await webhook.firstDelivery(({ state }) => state === 'failed');
    expect(endpoint.requests).toHaveLength(3);
    expect(target.requests).toEqual([]);
  });

  it.each([
    ['a byte below the limit', RESPONSE_LIMIT - 1, RESPONSE_LIMIT - 1],
    ['at the limit', RESPONSE_LIMIT, RESPONSE_LIMIT],
    ['a byte above the limit', RESPONSE_LIMIT + 1, RESPONSE_LIMIT],
    ['far above the limit', 50_000_000, RESPONSE_LIMIT],
  ])('stores the first 16 KiB of a response %s', async (_what, length, kept) => {
    const { webhook } = await sendTo({ body: Buffer.alloc(length, 'a') });
    const { state, attempts } = await webhook.firstDelivery(({ attemptCount }) => attemptCount > 0);
    expect(state).toBe('delivered');
    expect(attempts[0]?.response).toBe('a'.repeat(kept));
  });

  it.each([
    ['a NUL character', Buffer.from('a\0b'), 'a\ufffdb'],
    ['invalid UTF-8', Buffer.from([0x61, 0xff, 0xfe]), 'a\ufffd\ufffd'],
    ['a character cut by the limit', Buffer.from(`${'a'.repeat(RESPONSE_LIMIT - 1)}😀`), undefined],
    ['emoji', Buffer.from('😀'), '😀'],
  ])('stores a response with %s', async (_what, body, kept) => {
    const { webhook } = await sendTo({ body });
    const { state, attempts } = await webhook.firstDelivery(({ attemptCount }) => attemptCount > 0);
    expect(state).toBe('delivered');
    expect(attempts[0]?.response).toBe(kept ?? `${'a'.repeat(RESPONSE_LIMIT - 1)}\ufffd`);
  });
});
