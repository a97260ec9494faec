import { RoleType } from '../../src/access/role-type';
import { CONTINUES_FUNCTION } from '../../src/database/sql/contains';
import { unindexedListRunner } from '../../src/database/search/searches';
import { TransactionsService } from '../../src/database/transactions/transactions.service';
import { DeliveryRepository } from '../../src/webhooks/data/delivery.repository';
import { type DeliveryDto } from '../../src/webhooks/dto/delivery.dto';
import { DeliveryRetentionService } from '../../src/webhooks/log/delivery-retention.service';
import { aTimestamp, anId, errorShape } from '../support/shapes';
import { isEmbedded, itOnEmbedded } from '../support/engines';
import { statementsOf } from '../support/records';
import { addWebhook, comment, disable, eventually, QUICK_DELIVERY, useWebhook } from '../support/webhooks';
import { pullRequestComments, useWorld } from '../support/world';

const DAY_MS = 24 * 3_600_000;

describe('the delivery log of a webhook', () => {
  const tested = useWebhook(useWorld(QUICK_DELIVERY));

  const ids = (deliveries: readonly DeliveryDto[]): number[] => deliveries.map(({ id }) => id);

  const list = async (query = ''): Promise<number[]> =>
    ids((await tested.owner.api.get<DeliveryDto[]>(`${tested.webhook.path}/deliveries${query}`)).body);

  it('shows a delivery with its payload and the responses to its attempts', async () => {
    const { endpoint, webhook } = tested;
    endpoint.answerWith({ status: 503, body: 'busy' }, { body: 'ok' });
    await tested.comment();
    const detail = await webhook.firstDelivery(({ state }) => state === 'delivered');
    expect(detail).toEqual({
      id: anId,
      webhookId: webhook.id,
      activityId: anId,
      activityTypeId: 3,
      messageId: endpoint.requests[0]?.headers['webhook-id'],
      state: 'delivered',
      attemptCount: 2,
      nextAttempt: null,
      created: aTimestamp,
      finished: aTimestamp,
      payload: endpoint.requests[0]?.body,
      attempts: [
        attempt({ number: 1, status: 503, response: 'busy', error: 'The receiver answered 503.' }),
        attempt({ number: 2, status: 200, response: 'ok', error: '' }),
      ],
    });
  });

  const attempt = (fields: object): object => ({
    started: aTimestamp,
    duration: expect.any(Number) as number,
    ...fields,
  });

  it('lists the newest deliveries first, in linked pages', async () => {
    const { world, owner, webhook } = tested;
    const all = await tested.keptDeliveries(5);
    const seen: number[] = [];
    let path: string | undefined = `${webhook.path}/deliveries?count=2&state=pending`;
    while (path !== undefined) {
      const page: Awaited<ReturnType<typeof owner.api.get<DeliveryDto[]>>> = await owner.api.get(path);
      expect(page.body.length).toBeLessThanOrEqual(2);
      seen.push(...ids(page.body));
      const next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
      path = next?.slice(world.server.baseUrl.length);
    }
    expect(seen).toEqual([...all].reverse());
    expect(await list('?order=asc&offset=1&count=3')).toEqual(all.slice(1, 4));
    expect(await list(`?order=asc&minId=${all[1]}&maxId=${all[2]}`)).toEqual(all.slice(1, 3));
  });

  it('filters by state', async () => {
    const [pending, delivered, failed] = await tested.keptDeliveries(3);
    await tested.changeDelivery(delivered as number, 'state', 1);
    await tested.changeDelivery(failed as number, 'state', 2);
    expect(await list('?state=pending')).toEqual([pending]);
    expect(await list('?state=delivered')).toEqual([delivered]);
    expect(await list('?state=failed')).toEqual([failed]);
  });

  it('filters by activity type', async () => {
    const { world, project, owner, webhook } = tested;
    await disable(world, webhook);
    const id = await tested.comment();
    await owner.api.post(`/issues/${project.issueKey}/comments/${id}/notifications`, {
      notifiedUserId: [world.admin.id],
    });
    const [added, notified] = await webhook.deliveries();
    expect(await list('?activityTypeId[]=3')).toEqual([added?.id]);
    expect(await list('?activityTypeId[]=17')).toEqual([notified?.id]);
    expect(await list('?activityTypeId[]=17&activityTypeId[]=3')).toEqual([notified?.id, added?.id]);
    expect(await list('?activityTypeId[]=6')).toEqual([]);
  });

  it('filters by time from since, inclusive, to until, exclusive', async () => {
    const [first, second, third] = (await tested.keptDeliveries(3)) as [number, number, number];
    await tested.changeDelivery(first, 'created', Date.parse('2026-03-01T00:00:00Z'));
    await tested.changeDelivery(second, 'created', Date.parse('2026-03-02T00:00:00Z'));
    await tested.changeDelivery(third, 'created', Date.parse('2026-03-03T00:00:00Z'));
    expect(await list('?since=2026-03-02T00:00:00Z')).toEqual([third, second]);
    expect(await list('?until=2026-03-02T00:00:00Z')).toEqual([first]);
    expect(await list('?since=2026-03-02T00:00:00Z&until=2026-03-03T00:00:00Z')).toEqual([second]);
  });

  /** Returns the statement that finds the deliveries of a list. */
  async function searchFor(query: string): Promise<string> {
    const sent = await statementsOf(tested.world, () => list(`?${query}`));
    const found = sent.find((sql) => sql.startsWith('SELECT d.id AS id FROM webhook_delivery d'));
    if (found === undefined) throw new Error(`No statement has searched for ${query}`);
    return found;
  }

  it.each([
    ['', false],
    ['count=100', false],
    ['order=asc&offset=1000', false],
    ['minId=1&maxId=9', false],
    ['offset=1001', true],
    ['state=failed', true],
    ['activityTypeId[]=6', true],
    ['since=2026-03-02T00:00:00Z', true],
    ['until=2026-03-02T00:00:00Z', true],
  ])('reads %j on a thread if that may take long: %s', async (query, isLong) => {
    // The function ends a statement on a thread; the other connections do not have it.
    expect((await searchFor(query)).includes(CONTINUES_FUNCTION)).toBe(isLong && isEmbedded);
  });

  it('leaves out what its reader may no longer see once a long list has been read', async () => {
    const { world, owner, project, webhook } = tested;
    await disable(world, webhook);
    await tested.comment();
    await owner.api.post(pullRequestComments(project), { content: 'For developers' });
    const all = ids(await webhook.deliveries());
    const rows = world.service(DeliveryRepository);
    const findPage = rows.findPage.bind(rows);
    const spy = vi.spyOn(rows, 'findPage').mockImplementationOnce(async (...of) => {
      const page = await findPage(...of);
      await world.admin.api.patch(`/users/${owner.id}`, { roleType: RoleType.Viewer });
      return page;
    });
    const seen = await list('?state=pending&order=asc');
    spy.mockRestore();
    expect([all.length, seen]).toEqual([2, all.slice(0, 1)]);
  });

  itOnEmbedded.each([
    ['activityTypeId[]=6', ['d', 'e']],
    ['activityTypeId[]=6&since=2026-03-02T00:00:00Z', ['d', 'e']],
    ['since=2026-03-02T00:00:00Z', ['d']],
    ['offset=5000', ['d']],
  ])('reads neither payloads nor other columns to find %s', async (query, tables) => {
    const { world } = tested;
    const searcher = { userId: world.admin.id, signal: new AbortController().signal };
    const steps = await unindexedListRunner(world.dataSource, searcher).query<{ detail: string }[]>(
      `EXPLAIN QUERY PLAN ${await searchFor(query)}`,
    );
    expect(steps.map(({ detail }) => detail.replace(/ ix_.*/, ''))).toEqual(
      tables.map((table) => `SEARCH ${table} USING COVERING INDEX`),
    );
  });

  it.each([
    ['state=lost', 'state'],
    ['activityTypeId[]=27', 'activityTypeId'],
    ['since=yesterday', 'since'],
    ['until=2026-13-01T00:00:00Z', 'until'],
    ['count=101', 'count'],
  ])('refuses %s', async (query, field) => {
    const answer = await tested.owner.api.get(`${tested.webhook.path}/deliveries?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(errorShape(7, [field]));
  });

  it.each<[string, string, (ids: { foreign: number; own: number; delivery: number }) => string]>([
    ['GET', "another project's webhook", ({ foreign }) => `${foreign}/secret`],
    ['GET', "another project's deliveries", ({ foreign }) => `${foreign}/deliveries`],
    ['POST', "another project's secret", ({ foreign }) => `${foreign}/secret/rotate`],
    ['POST', "a test of another project's webhook", ({ foreign }) => `${foreign}/test`],
    ['POST', "another project's disabled webhook", ({ foreign }) => `${foreign}/enable`],
    ['GET', "another project's delivery", ({ foreign, delivery }) => `${foreign}/deliveries/${delivery}`],
    ['GET', "another webhook's delivery", ({ own, delivery }) => `${own}/deliveries/${delivery}`],
    ['POST', "another webhook's delivery", ({ own, delivery }) => `${own}/deliveries/${delivery}/redeliver`],
    ['GET', 'an unknown delivery', ({ own }) => `${own}/deliveries/999999999`],
    ['GET', 'a malformed delivery id', ({ own }) => `${own}/deliveries/abc`],
    ['GET', 'an unknown webhook', () => '999999999/deliveries'],
    ['GET', 'a malformed webhook id', () => '0x1/deliveries'],
  ])('returns 404 to %s of %s', async (method, _what, pathOf) => {
    const { world, receiver, project, owner, webhook } = tested;
    const elsewhere = await world.addProject();
    const other = await addWebhook(world.admin, elsewhere, receiver.endpoint());
    await comment(world.admin, elsewhere);
    const [{ id } = { id: 0 }] = await other.deliveries();
    const path = `/projects/${project.key}/webhooks/${pathOf({ foreign: other.id, own: webhook.id, delivery: id })}`;
    const answer = await owner.api.send(method, path, method === 'POST' ? {} : undefined);
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual(errorShape(6));
  });

  it('drops deliveries older than 30 days with their attempts, and nothing else', async () => {
    const { world, project, endpoint, webhook } = tested;
    endpoint.answerWith({ status: 500 });
    await tested.comment();
    const old = await webhook.firstDelivery(({ state }) => state === 'failed');
    await tested.comment();
    const [, young] = await eventually(
      () => webhook.deliveries(),
      (deliveries) => deliveries.length === 2 && deliveries.every(({ state }) => state === 'failed'),
    );
    const age = (days: number): Promise<unknown> =>
      world.dataSource.query(
        'UPDATE webhook_event SET created = ? WHERE id = (SELECT event_id FROM webhook_delivery WHERE id = ?)',
        [Date.now() - days * DAY_MS, old.id],
      );
    const retention = world.service(DeliveryRetentionService);
    await age(29.9);
    expect(await retention.removeOld()).toBe(0);
    await age(30.1);
    expect(await retention.removeOld()).toBe(1);
    expect(ids(await webhook.deliveries())).toEqual([young?.id]);
    expect(await attemptsOf(old.id)).toEqual([]);
    expect(await attemptsOf(young?.id ?? 0)).toHaveLength(3);
    expect(
      await world.dataSource.query('SELECT id FROM activity WHERE project_id = ?', [project.id]),
    ).toHaveLength(2);
  });

  it('drops many deliveries of one old event in short transactions', async () => {
    const { world, owner, project } = tested;
    const ids = Array.from({ length: 201 }, (_, index) => 1_000_000 + index);
    const eventId = await world.write(async (manager) => {
      await manager.query(
        `INSERT INTO webhook (id, project_id, name, description, hook_url, all_event, activity_type_ids, created_user_id, created,
                              updated_user_id, updated)
         VALUES ${ids.map((id) => `(${id}, ${project.id}, 'Old', '', 'http://127.0.0.1:9/', 0, '[]', ${owner.id}, 1, ${owner.id}, 1)`).join()}`,
      );
      await manager.query("INSERT INTO webhook_event (activity_type, payload, created) VALUES (3, 'old', 1)");
      const [event] = await manager.query<[{ id: number }]>(
        "SELECT id FROM webhook_event WHERE payload = 'old'",
      );
      await manager.query(
        `INSERT INTO webhook_delivery (event_id, webhook_id, state, attempt, next_at, lease_until, created)
         VALUES ${ids.map((id) => `(${event.id}, ${id}, 1, 1, 1, 0, 1)`).join()}`,
      );
      return event.id;
    });
    const transactions = world.service(TransactionsService);
    const run = transactions.run.bind(transactions) as (work: unknown) => Promise<unknown>;
    const left: number[] = [await deliveriesOf(eventId)];
    const spy = vi.spyOn(transactions, 'run').mockImplementation(async (work: unknown) => {
      const result = await run(work);
      left.push(await deliveriesOf(eventId));
      return result;
    });
    expect(await world.service(DeliveryRetentionService).removeOld()).toBe(1);
    spy.mockRestore();
    expect([...new Set(left)]).toEqual([201, 1, 0]);
    expect(await world.dataSource.query('SELECT id FROM webhook_event WHERE id = ?', [eventId])).toEqual([]);
  });

  const deliveriesOf = async (eventId: number): Promise<number> => {
    const sql = 'SELECT id FROM webhook_delivery WHERE event_id = ?';
    return (await tested.world.dataSource.query<unknown[]>(sql, [eventId])).length;
  };

  const attemptsOf = (id: number): Promise<unknown[]> =>
    tested.world.dataSource.query('SELECT id FROM webhook_delivery_attempt WHERE delivery_id = ?', [id]);
});
