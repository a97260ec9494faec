import { Logger } from '@nestjs/common';
import { insertRows } from '../../src/database/sql/rows';
import { DeliveryState } from '../../src/deliveries/delivery-state';
import { WebhookEvent } from '../../src/webhooks/entities/webhook-event.entity';
import { EndpointHealthService } from '../../src/webhooks/sending/endpoint-health.service';
import { isEmbedded, itOnServer } from '../support/engines';
import { statementsOf } from '../support/records';
import { serverStatements } from '../support/server-statements';
import { errorShape } from '../support/shapes';
import {
  addWebhook,
  disable,
  eventually,
  HEALTHY,
  QUICK_DELIVERY,
  useAdministeredProject,
  useWebhook,
  type WebhookFixture,
} from '../support/webhooks';
import { useWorld } from '../support/world';

const HOUR_MS = 3_600_000;
const FAILURES = 3;

interface Health {
  enabled: number;
  failures: number;
  pausedUntil: number;
  pauses: number;
  failingSince: number | null;
}

describe('the health of a webhook', () => {
  const tested = useWebhook(
    useWorld({
      ...QUICK_DELIVERY,
      WEBHOOK_CIRCUIT_FAILURES: String(FAILURES),
      WEBHOOK_CIRCUIT_PAUSES: '60,120',
      WEBHOOK_RETRY_DELAYS: '0,0,0,0,0,0,0,0,0',
    }),
  );

  beforeEach(() => tested.endpoint.answerWith({ status: 500 }));

  async function health(): Promise<Health> {
    const rows = await tested.world.dataSource.query<Health[]>(
      `SELECT enabled, failures, paused_until AS pausedUntil, pauses, failing_since AS failingSince
         FROM webhook_health WHERE webhook_id = ?`,
      [tested.webhook.id],
    );
    return rows[0] as Health;
  }

  const setHealth = (column: string, value: number): Promise<unknown> =>
    tested.world.dataSource.query(`UPDATE webhook_health SET ${column} = ? WHERE webhook_id = ?`, [
      value,
      tested.webhook.id,
    ]);

  const untilPaused = (times: number): Promise<Health> =>
    eventually(health, ({ pauses }) => pauses === times);

  /** Ends the pause early. */
  const endPause = (): Promise<unknown> => setHealth('paused_until', Date.now() - 1);

  it('opens the circuit for the first pause after consecutive failures', async () => {
    const before = Date.now();
    await tested.comment();
    const { pausedUntil, failures, enabled } = await untilPaused(1);
    expect({ failures, enabled }).toEqual({ failures: FAILURES, enabled: 1 });
    expect(pausedUntil).toBeGreaterThanOrEqual(before + 60_000);
    expect(pausedUntil).toBeLessThanOrEqual(Date.now() + 60_000);
    await tested.eventSeenElsewhere();
    expect(tested.endpoint.requests.length).toBe(FAILURES);
    expect((await tested.webhook.deliveries()).map(({ attemptCount }) => attemptCount)).toEqual([
      FAILURES,
      0,
    ]);
  });

  it('counts failures across deliveries, however many are due at once', async () => {
    const { world, endpoint, webhook } = tested;
    await tested.keepEvents(12);
    await webhook.enable();
    await untilPaused(1);
    await tested.eventSeenElsewhere();
    expect(endpoint.requests.length).toBe(FAILURES);
    const rows = await world.dataSource.query(
      'SELECT id FROM webhook_delivery WHERE webhook_id = ? AND lease_until > 0',
      [webhook.id],
    );
    expect(rows).toEqual([]);
  });

  it('permits one attempt after the pause, and pauses longer when it fails', async () => {
    await tested.comment();
    await tested.comment();
    await untilPaused(1);
    for (const [probe, pause] of [120_000, 120_000].entries()) {
      const before = Date.now();
      await endPause();
      const { pausedUntil } = await untilPaused(probe + 2);
      expect(tested.endpoint.requests).toHaveLength(FAILURES + probe + 1);
      expect(pausedUntil).toBeGreaterThanOrEqual(before + pause);
    }
  });

  it('closes the circuit at the first success, and sends the pending deliveries', async () => {
    const { endpoint, webhook } = tested;
    await tested.comment();
    await untilPaused(1);
    for (let count = 0; count < 3; count++) await tested.comment();
    endpoint.answerWith({});
    await endPause();
    await eventually(
      () => webhook.deliveries(),
      (deliveries) => deliveries.every(({ state }) => state === 'delivered'),
    );
    expect(endpoint.requests).toHaveLength(FAILURES + 4);
    expect(await health()).toMatchObject({ failures: 0, pausedUntil: 0, pauses: 0, failingSince: null });
  });

  it('appears in the webhook with pausedUntil, failures, failingSince and reason', async () => {
    const { owner, endpoint, webhook } = tested;
    const shown = async (): Promise<unknown> =>
      (await owner.api.get<{ health: object }>(webhook.path)).body.health;
    expect(await shown()).toEqual(HEALTHY);
    await tested.comment();
    const { pausedUntil, failingSince } = await untilPaused(1);
    const seconds = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
    const paused = {
      enabled: true,
      pausedUntil: seconds(pausedUntil),
      failures: FAILURES,
      failingSince: seconds(Number(failingSince)),
      reason: 'The receiver answered 500.',
    };
    expect(await shown()).toEqual(paused);
    const list = await owner.api.get<{ health: object }[]>(`/projects/${tested.project.key}/webhooks`);
    expect(list.body.map(({ health: each }) => each)).toEqual([paused]);
    endpoint.answerWith({ status: 410 });
    await endPause();
    await eventually(health, ({ enabled }) => !enabled);
    expect(await shown()).toMatchObject({
      enabled: false,
      pausedUntil: null,
      failures: FAILURES + 1,
      reason: 'The receiver answered 410.',
    });
    endpoint.answerWith({});
    const { body } = await webhook.enable();
    expect(body).toMatchObject({ health: HEALTHY });
  });

  it('resets the number of failures at a success', async () => {
    const { endpoint } = tested;
    endpoint.answerWith({ status: 500 }, { status: 500 }, {}, { status: 500 }, { status: 500 }, {});
    await tested.comment();
    await endpoint.received(3);
    await tested.comment();
    await endpoint.received(6);
    await eventually(health, ({ failures }) => failures === 0);
    expect((await health()).pauses).toBe(0);
  });

  it('disables the webhook after five days of failures, and notifies project administrators', async () => {
    const { world, project, owner, webhook } = tested;
    const viewer = await world.addMember(project);
    const second = await world.addMember(project, undefined, true);
    await tested.comment();
    await untilPaused(1);
    await setHealth('failing_since', Date.now() - 120 * HOUR_MS);
    await endPause();
    expect((await eventually(health, ({ enabled }) => !enabled)).failures).toBe(FAILURES + 1);
    const told = await warnedUsersOf(webhook);
    expect(told).toEqual([owner.id, second.id]);
    expect(told).not.toContain(viewer.id);
  });

  it('keeps the webhook enabled before five days of failures', async () => {
    await tested.comment();
    await untilPaused(1);
    await setHealth('failing_since', Date.now() - 119 * HOUR_MS);
    await endPause();
    expect(await untilPaused(2)).toMatchObject({ enabled: 1 });
    expect(await warnedUsersOf(tested.webhook)).toEqual([]);
  });

  it('disables the webhook at a 410, with one notification and one warning', async () => {
    const { owner, endpoint, webhook, project } = tested;
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    endpoint.answerWith({ status: 410 });
    await tested.comment();
    await eventually(health, ({ enabled }) => !enabled);
    expect(await warnedUsersOf(webhook)).toEqual([owner.id]);
    expect(endpoint.requests).toHaveLength(1);
    const line = await eventually(
      () => Promise.resolve(warn.mock.calls.filter(([, text]) => String(text).includes('is disabled'))),
      (lines) => lines.length > 0,
    );
    warn.mockRestore();
    expect(line).toEqual([
      [
        { webhookId: webhook.id, projectId: project.id },
        expect.stringMatching(new RegExp(`^Webhook ${webhook.id} is disabled: .* 410 Gone`)),
      ],
    ]);
  });

  it('disables the webhook at a 410 even if a simultaneous attempt succeeds', async () => {
    const { world, project, owner, endpoint, webhook } = tested;
    const due = {
      webhookId: webhook.id,
      projectId: project.id,
      hookUrl: endpoint.url,
      secret: null,
      previousSecrets: null,
      ownerIsDeveloper: true,
      failures: 0,
      pausedUntil: 0,
    };
    await world.write((manager) =>
      world.service(EndpointHealthService).record(manager, due, [
        { error: 'The receiver answered 410.', isGone: true },
        { error: '', isGone: false },
      ]),
    );
    expect(Boolean((await health()).enabled)).toBe(false);
    expect(await warnedUsersOf(webhook)).toEqual([owner.id]);
  });

  it('keeps events while the webhook is disabled, and sends them when it is enabled', async () => {
    const { endpoint, webhook } = tested;
    endpoint.answerWith({ status: 410 });
    await tested.comment();
    await eventually(health, ({ enabled }) => !enabled);
    await tested.comment();
    await tested.eventSeenElsewhere();
    expect(endpoint.requests).toHaveLength(1);
    expect((await webhook.deliveries()).map(({ state }) => state)).toEqual(['pending', 'pending', 'pending']);

    endpoint.answerWith({});
    const answer = await webhook.enable();
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id: webhook.id, hookUrl: endpoint.url, allEvent: true });
    const [refused, ...kept] = await endpoint.received(4);
    expect(new Set(kept.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
    expect(kept.map(({ headers }) => headers['webhook-id'])).toContain(refused?.headers['webhook-id']);
  });

  it('sends a delayed retry at once when the webhook is enabled', async () => {
    const { endpoint, webhook } = tested;
    endpoint.answerWith({ status: 503, headers: { 'Retry-After': '3600' } }, {});
    await tested.comment();
    await webhook.firstDelivery(({ attemptCount }) => attemptCount === 1);
    await webhook.enable();
    const requests = await endpoint.received(2);
    expect(requests[1]?.headers['webhook-attempt']).toBe('2');
  });

  it.each([
    ['a 410', 410],
    ['a failure', 500],
  ])('ignores %s of an attempt at the former address', async (_what, status) => {
    const { receiver, owner, endpoint, webhook } = tested;
    const moved = receiver.endpoint({ isHeld: true });
    endpoint.answerWith({ isHeld: true, status });
    await tested.comment();
    await endpoint.received(1);
    await owner.api.patch(webhook.path, { hookUrl: moved.url });
    endpoint.release();
    await webhook.firstDelivery(({ attempts }) => attempts.length === 1);
    expect(await health()).toMatchObject({ enabled: 1, failures: 0 });
    await moved.received(1);
    moved.release();
    await webhook.delivered(1);
  });

  it('sends to a new address at once when an attempt after the pause went to the former one', async () => {
    const { receiver, owner, endpoint, webhook } = tested;
    const moved = receiver.endpoint();
    await tested.comment();
    await untilPaused(1);
    endpoint.answerWith({ isHeld: true, status: 500 });
    await endPause();
    await endpoint.received(FAILURES + 1);
    await owner.api.patch(webhook.path, { hookUrl: moved.url });
    endpoint.release();
    await moved.received(1);
    await webhook.delivered(1);
  });

  /** What is refused while the webhook is disabled. */
  const refused: [string, () => Promise<{ status: number; body: unknown }>][] = [
    ['a sample', () => tested.owner.api.post(`${tested.webhook.path}/test`, {})],
    ['a redelivery', async () => tested.owner.api.post(`${await firstDeliveryPath()}/redeliver`)],
    [
      'a redelivery of a time range',
      () =>
        tested.owner.api.post(`${tested.webhook.path}/deliveries/redeliver`, {
          since: '2026-01-01T00:00:00Z',
        }),
    ],
  ];

  it.each(refused)('refuses %s while the webhook is disabled', async (_what, act) => {
    await disable(tested.world, tested.webhook);
    await tested.comment();
    const answer = await act();
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(errorShape(7));
  });

  itOnServer.each(refused)(
    'refuses %s while another transaction disables the webhook',
    async (_what, act) => {
      const { world, endpoint, webhook } = tested;
      endpoint.answerWith({});
      await tested.comment();
      await webhook.delivered(1);
      let answering: ReturnType<typeof act> | undefined;
      await world.write(async (manager) => {
        const [own] = await manager.query<{ id: number }[]>('SELECT CONNECTION_ID() AS id');
        await manager.query('UPDATE webhook_health SET enabled = ? WHERE webhook_id = ?', [
          false,
          webhook.id,
        ]);
        answering = act();
        await eventually(
          () => serverStatements(world.dataSource),
          (statements) =>
            statements.some(
              ({ id, sql }) => id !== Number(own?.id) && sql.startsWith('UPDATE webhook_health'),
            ),
        );
      });
      expect((await answering)?.status).toBe(400);
      expect((await health()).enabled).toBe(0);
    },
  );

  const firstDeliveryPath = async (): Promise<string> =>
    `${tested.webhook.path}/deliveries/${(await tested.webhook.deliveries())[0]?.id}`;

  async function warnedUsersOf({ id }: WebhookFixture): Promise<number[]> {
    const rows = await tested.world.dataSource.query<{ userId: number }[]>(
      'SELECT user_id AS userId FROM notification WHERE reason = 9 AND text LIKE ? ORDER BY user_id',
      [`Webhook ${id} is disabled:%`],
    );
    return rows.map(({ userId }) => userId);
  }
});

describe('a webhook that is enabled with many pending deliveries', () => {
  const tested = useAdministeredProject(useWorld());

  beforeAll(() => tested.world.stopDeliveries());

  it('makes all of them due, on the embedded database in slices', async () => {
    const { world, owner, project } = tested;
    const webhook = await addWebhook(owner, project, { url: 'https://receiver.invalid/' });
    await disable(world, webhook);
    const later = Date.now() + 3_600_000;
    await world.write(async (manager) => {
      const event = { activityId: null, activityType: 3, payload: `{"of":${webhook.id}}`, created: 1 };
      await insertRows(
        manager,
        WebhookEvent,
        Array.from({ length: 1001 }, () => event),
      );
      await manager.query(
        `INSERT INTO webhook_delivery (event_id, webhook_id, state, attempt, next_at, lease_until, created)
          SELECT id, ?, ?, 1, ?, 0, 1 FROM webhook_event WHERE payload = ?`,
        [webhook.id, DeliveryState.Pending, later, event.payload],
      );
    });
    const sent = await statementsOf(world, async () => expect((await webhook.enable()).status).toBe(200));
    const times = await world.dataSource.query<{ nextAt: number | string }[]>(
      'SELECT next_at AS nextAt FROM webhook_delivery WHERE webhook_id = ?',
      [webhook.id],
    );
    expect(times).toHaveLength(1001);
    expect(times.filter(({ nextAt }) => Number(nextAt) > Date.now())).toEqual([]);
    const slices = sent.filter((sql) => sql.startsWith('UPDATE webhook_delivery SET next_at'));
    expect(slices).toHaveLength(isEmbedded ? 3 : 1);
  });
});
