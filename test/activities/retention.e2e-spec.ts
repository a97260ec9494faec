import { ActivityRetentionService } from '../../src/activities/activity-retention.service';
import { textPeriodAt } from '../../src/activities/text-period';
import { NotificationRetentionService } from '../../src/notifications/notification-retention.service';
import { WebhookEventRepository } from '../../src/webhooks/data/webhook-event.repository';
import { DeliveryRetentionService } from '../../src/webhooks/log/delivery-retention.service';
import { everythingStored } from '../support/records';
import { comment, disable, QUICK_DELIVERY, useWebhook } from '../support/webhooks';
import { type ProjectFixture, useWorld, type World } from '../support/world';

const DAY_MS = 86_400_000;
const DAYS = 100;
const LONG = 'A long description. '.repeat(100);

/** Copies the last row of a table, with changes. */
async function copyLast(world: World, table: string, changes: readonly object[]): Promise<void> {
  const [row] = ((await everythingStored(world))[table] ?? []).slice(-1);
  const { id: _id, ...copied } = row as Record<string, unknown>;
  const names = Object.keys(copied).map((name) => `\`${name}\``);
  const tuple = `(${names.map(() => '?').join()})`;
  await world.dataSource.query(
    `INSERT INTO ${table} (${names.join()}) VALUES ${changes.map(() => tuple).join()}`,
    changes.flatMap((change) => Object.values({ ...copied, ...change })),
  );
}

describe('the retention of activities', () => {
  const tested = useWebhook(useWorld({ ...QUICK_DELIVERY, ACTIVITY_DAYS: String(DAYS) }));
  let elsewhere: ProjectFixture;

  beforeEach(async () => {
    elsewhere = await tested.world.addProject();
    await removeRest();
  });
  afterEach(() => vi.useRealTimers());

  /** Removes what an earlier test has left. */
  const removeRest = async (): Promise<void> => {
    for (const table of ['webhook_event', 'activity', 'activity_text']) {
      await tested.world.dataSource.query(`DELETE FROM ${table}`);
    }
  };

  const removeOld = (now: number): Promise<void> =>
    tested.world.service(ActivityRetentionService).removeOld(now);

  const idsOf = async (project: { id: number }): Promise<number[]> => {
    const rows = await tested.world.dataSource.query<{ id: number | string }[]>(
      'SELECT id FROM activity WHERE project_id = ? ORDER BY id',
      [project.id],
    );
    return rows.map(({ id }) => Number(id));
  };

  const periodsOf = async (project: { id: number }): Promise<number[]> => {
    const rows = await tested.world.dataSource.query<{ period: number }[]>(
      'SELECT period FROM activity_text WHERE project_id = ? ORDER BY period',
      [project.id],
    );
    return rows.map(({ period }) => period);
  };

  /** Adds a comment to an issue without a webhook, with a long text, at a time. */
  async function commentAt(time: number, content: string): Promise<void> {
    vi.useFakeTimers({ toFake: ['Date'], now: time });
    await comment(tested.world.admin, elsewhere, content);
    vi.useRealTimers();
  }

  it('removes imported activities by their own time, and keeps the texts of the others', async () => {
    const { world } = tested;
    const now = Date.now();
    const [row] = await world.dataSource.query<{ id: number | string }[]>(
      'SELECT id FROM issue_type WHERE project_id = ? ORDER BY id LIMIT 1',
      [elsewhere.id],
    );
    const importIssue = async (days: number): Promise<number> => {
      const { body } = await world.admin.api.post<{ id: number }>('/issues/import', {
        projectId: elsewhere.id,
        summary: 'Imported',
        description: LONG,
        issueTypeId: Number(row!.id),
        priorityId: 3,
        created: new Date(now - days * DAY_MS).toISOString(),
      });
      return body.id;
    };
    await importIssue(DAYS + 1);
    const kept = await importIssue(DAYS - 1);
    await importIssue(DAYS + 2);
    await removeOld(now);
    const { body } = await world.admin.api.get<{ content: { id: number; description: string } }[]>(
      `/projects/${elsewhere.key}/activities`,
    );
    expect(body.map(({ content }) => content.id)).toEqual([kept]);
    expect(body[0]?.content.description).toBe(LONG);
  });

  it('removes old activities, with texts that no other activity refers to', async () => {
    const { world } = tested;
    const now = Date.now();
    const [first, second, third] = [now - 400 * DAY_MS, now - 300 * DAY_MS, now] as const;
    // The same text at each time, which a later activity still refers to.
    for (const time of [first, second, third]) await commentAt(time, LONG);
    const all = await idsOf(elsewhere);
    expect(await periodsOf(elsewhere)).toEqual([first, second, third].map(textPeriodAt));
    await removeOld(now - 250 * DAY_MS);
    expect(await idsOf(elsewhere)).toEqual(all.slice(1));
    expect(await periodsOf(elsewhere)).toEqual([second, third].map(textPeriodAt));
    await removeOld(now);
    expect(await idsOf(elsewhere)).toEqual(all.slice(2));
    expect(await periodsOf(elsewhere)).toEqual([textPeriodAt(third)]);
    const { body } = await world.admin.api.get<{ content: object }[]>(
      `/projects/${elsewhere.key}/activities`,
    );
    expect(body.map(({ content }) => content)).toMatchObject([{ comment: { content: LONG } }]);
    expect((await world.admin.api.get(`/activities/${all[0]}`)).status).toBe(404);
    const { body: comments } = await world.admin.api.get<unknown[]>(`/issues/${elsewhere.issueKey}/comments`);
    expect(comments).toHaveLength(3);
  });

  it('removes hundreds of old activities of an inactive project', async () => {
    const now = Date.now();
    for (let count = 0; count < 3; count++) await commentAt(now - 300 * DAY_MS, `${LONG} ${count}`);
    await copyLast(tested.world, 'activity', Array<object>(700).fill({}));
    expect(await idsOf(elsewhere)).toHaveLength(703);
    await removeOld(now);
    expect(await idsOf(elsewhere)).toEqual([]);
    expect(await periodsOf(elsewhere)).toEqual([]);
  });

  it('removes old activities whose ids follow that of a newer one', async () => {
    const now = Date.now();
    await commentAt(now, 'ahead');
    await commentAt(now - 300 * DAY_MS, 'old');
    await copyLast(tested.world, 'activity', Array<object>(300).fill({}));
    const [ahead] = await idsOf(elsewhere);
    await removeOld(now);
    expect(await idsOf(elsewhere)).toEqual([ahead]);
  });

  it('keeps an activity and its texts until its deliveries are removed', async () => {
    const { world, owner, project, endpoint, webhook } = tested;
    const now = Date.now();
    await tested.comment(`${LONG} sent`);
    await webhook.delivered(1);
    await disable(world, webhook);
    await tested.comment(`${LONG} kept`);
    const later = now + 300 * DAY_MS;
    const ids = await idsOf(project);
    await removeOld(later);
    expect(await idsOf(project)).toEqual(ids);
    await webhook.enable();
    const [, kept] = await endpoint.received(2);
    expect(kept?.body).toContain(`${LONG} kept`);
    await webhook.delivered(2);
    await world.service(DeliveryRetentionService).removeOld(later);
    await removeOld(later);
    expect(await idsOf(project)).toEqual([]);
    expect(await periodsOf(project)).toEqual([]);
    expect((await owner.api.get(`/projects/${project.key}/activities`)).body).toEqual([]);
  });

  it('keeps a delivery added while its activity is removed', async () => {
    const { world } = tested;
    const now = Date.now();
    await commentAt(now - 300 * DAY_MS, LONG);
    const [id] = await idsOf(elsewhere);
    const event = { activityId: id as number, activityType: 3, payload: '{}', created: now };
    const events = world.service(WebhookEventRepository);
    const { findActivityIds } = events;
    let adding: Promise<boolean> | undefined;
    vi.spyOn(events, 'findActivityIds').mockImplementation(async (...parameters) => {
      const held = await findActivityIds.apply(events, parameters);
      adding ??= world
        .write((manager) => events.insert(manager, event))
        .then(
          () => true,
          () => false,
        );
      return held;
    });
    await removeOld(now);
    vi.restoreAllMocks();
    const isAdded = await adding;
    const { webhook_event: stored } = await everythingStored(world);
    expect(stored).toHaveLength(isAdded ? 1 : 0);
  });

  it('keeps the texts of an earlier version until newer activities have replaced them', async () => {
    const now = Date.now();
    await commentAt(now - 300 * DAY_MS, LONG);
    await tested.world.dataSource.query('UPDATE activity_text SET period = 0');
    await commentAt(now, LONG);
    await removeOld(now);
    // Nothing tells when the text without a period was last used.
    expect(await periodsOf(elsewhere)).toEqual([0, textPeriodAt(now)]);
    const later = now + 300 * DAY_MS;
    await commentAt(later, LONG);
    await removeOld(later);
    expect(await periodsOf(elsewhere)).toEqual([textPeriodAt(later)]);
  });

  it('removes nothing when ACTIVITY_DAYS is 0', async () => {
    const { world } = tested;
    await commentAt(Date.now() - 3000 * DAY_MS, LONG);
    const environment = world.service(ActivityRetentionService)['environment' as never] as Record<
      string,
      number
    >;
    environment.ACTIVITY_DAYS = 0;
    await removeOld(Date.now());
    environment.ACTIVITY_DAYS = DAYS;
    expect(await idsOf(elsewhere)).toHaveLength(1);
  });
});

describe('the retention of notifications', () => {
  const tested = useWorld({ NOTIFICATION_DAYS: String(DAYS) });

  async function addNotification(): Promise<void> {
    const { world } = tested;
    const project = await world.addProject();
    const reader = await world.addMember(project);
    await world.admin.api.post(`/issues/${project.issueKey}/comments`, {
      content: 'Hello',
      notifiedUserId: [reader.id],
    });
  }

  it('removes old notifications and keeps their comments', async () => {
    const { world } = tested;
    const project = await world.addProject();
    const reader = await world.addMember(project);
    const comments = `/issues/${project.issueKey}/comments`;
    const ids: number[] = [];
    for (const content of ['old', 'new']) {
      const { body } = await world.admin.api.post<{ id: number }>(comments, {
        content,
        notifiedUserId: [reader.id],
      });
      ids.push(body.id);
    }
    const now = Date.now();
    await world.dataSource.query('UPDATE notification SET created = ? WHERE comment_id = ?', [
      now - (DAYS + 1) * DAY_MS,
      ids[0],
    ]);
    await world.service(NotificationRetentionService).removeOld(now);
    const { body: notifications } = await reader.api.get<{ comment: { id: number } }[]>('/notifications');
    expect(notifications.map(({ comment: { id } }) => id)).toEqual([ids[1]]);
    const { body: shown } = await world.admin.api.get<{ id: number; notifications: unknown[] }[]>(
      `${comments}?order=asc`,
    );
    expect(shown.map(({ id, notifications: of }) => [id, of.length])).toEqual([
      [ids[0], 0],
      [ids[1], 1],
    ]);
    const again = await world.admin.api.post(`${comments}/${ids[0]}/notifications`, {
      notifiedUserId: [reader.id],
    });
    expect(again.status).toBe(200);
  });

  it('removes more than a thousand notifications', async () => {
    const { world } = tested;
    await addNotification();
    await copyLast(world, 'notification', Array<object>(1300).fill({ comment_id: null }));
    await world.service(NotificationRetentionService).removeOld(Date.now() + (DAYS + 1) * DAY_MS);
    expect((await everythingStored(world)).notification).toEqual([]);
  });

  it('removes old notifications before and after newer ones', async () => {
    const { world } = tested;
    await addNotification();
    const now = Date.now();
    const at = (created: number, count: number): object[] =>
      Array<object>(count).fill({ comment_id: null, created });
    const old = at(now - (DAYS + 1) * DAY_MS, 600);
    await copyLast(world, 'notification', [...old, ...at(now, 2), ...old, ...at(now, 1), ...old]);
    await world.service(NotificationRetentionService).removeOld(now);
    const { notification } = await everythingStored(world);
    expect((notification as { created: number | string }[]).map(({ created }) => Number(created))).toEqual([
      expect.any(Number),
      now,
      now,
      now,
    ]);
  });
});
