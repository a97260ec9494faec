import { version } from '../../package.json';
import { ActivitiesService } from '../../src/activities/activities.service';
import { ActivityType } from '../../src/activities/activity-type';
import { RoleType } from '../../src/access/role-type';
import { type IssueChangeContent } from '../../src/issues/issue-activity-samples';
import { type Endpoint, type ReceivedRequest } from '../support/receiver';
import { activitiesOf } from '../support/records';
import { aTimestamp, anId, userShape } from '../support/shapes';
import { addWebhook, comment, disable, QUICK_DELIVERY, useDeliveries } from '../support/webhooks';
import { type Person, pullRequestComments, useWorld } from '../support/world';

describe('the delivery of an event', () => {
  const tested = useDeliveries(useWorld(QUICK_DELIVERY));
  let member: Person;
  let endpoint: Endpoint;

  beforeEach(async () => {
    member = await tested.world.addMember(tested.project);
    endpoint = tested.receiver.endpoint();
  });

  const payloadOf = (request?: ReceivedRequest): Record<string, unknown> =>
    JSON.parse(request?.body ?? '') as Record<string, unknown>;

  it('posts the event as JSON with every field of the envelope and no other', async () => {
    const { project } = tested;
    await tested.addWebhook(endpoint);
    await comment(member, project, 'Hello 😀');
    const [request] = await endpoint.received(1);
    expect(request?.method).toBe('POST');
    const { body: shownProject } = await member.api.get(`/projects/${project.key}`);
    expect(payloadOf(request)).toEqual({
      id: anId,
      project: shownProject,
      type: 3,
      content: expect.any(Object),
      notifications: [],
      createdUser: userShape(member),
      created: aTimestamp,
    });
  });

  it('has headers for its id, attempt, time, signature and sender', async () => {
    const webhook = await tested.addWebhook(endpoint);
    const before = Math.floor(Date.now() / 1000);
    await comment(member, tested.project);
    const [request] = await endpoint.received(1);
    const [delivery] = await webhook.deliveries();
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': `project-management-service/${version}`,
      'webhook-id': delivery?.messageId,
      'webhook-attempt': '1',
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
      'content-length': String(Buffer.byteLength(request?.body ?? '')),
    });
    const timestamp = Number(request?.headers['webhook-timestamp']);
    expect(timestamp).toBeGreaterThanOrEqual(before);
    expect(timestamp).toBeLessThanOrEqual(Date.now() / 1000);
  });

  it('describes an issue comment with its attachments', async () => {
    const { world, project } = tested;
    await tested.addWebhook(endpoint);
    const file = await world.addUpload(member, 'four', 'a.txt');
    const { body } = await member.api.post(`/issues/${project.issueKey}/comments`, {
      content: 'See the file',
      attachmentId: [file],
    });
    const [request] = await endpoint.received(1);
    expect(payloadOf(request)).toMatchObject({ type: 3 });
    expect(payloadOf(request).content).toEqual({
      id: project.issueId,
      key_id: Number(project.issueKey.split('-')[1]),
      summary: 'An issue',
      description: 'Its description',
      comment: { id: body.id, content: 'See the file' },
      changes: [{ field: 'attachment', new_value: 'a.txt', old_value: '', type: 'standard' }],
      attachments: [{ id: file, name: 'a.txt', size: 4 }],
      shared_files: [],
      external_file_links: [],
    });
  });

  it('describes added notifications', async () => {
    const { project, owner } = tested;
    await tested.addWebhook(endpoint, { activityTypeIds: [17] });
    const id = await comment(member, project, 'Look');
    await member.api.post(`/issues/${project.issueKey}/comments/${id}/notifications`, {
      notifiedUserId: [owner.id],
    });
    const [request] = await endpoint.received(1);
    expect(payloadOf(request)).toMatchObject({
      type: 17,
      content: {
        id: project.issueId,
        comment: { id, content: 'Look' },
        changes: [{ field: 'notification', new_value: owner.name, old_value: '', type: 'standard' }],
        attachments: [],
      },
    });
  });

  it('describes an updated wiki page without its new attachments', async () => {
    const { world, project } = tested;
    await tested.addWebhook(endpoint);
    const file = await world.addUpload(member, 'four', 'b.txt');
    await member.api.post(`/wikis/${project.wikiId}/attachments`, { attachmentId: [file] });
    const [request] = await endpoint.received(1);
    expect(payloadOf(request)).toMatchObject({
      type: 6,
      content: {
        id: project.wikiId,
        name: 'Home',
        content: 'Its content',
      },
    });
    expect(payloadOf(request).content).not.toHaveProperty('attachments');
    const { body } = await member.api.get<{ content: object }>(
      `/activities/${Number(payloadOf(request).id)}`,
    );
    expect(body.content).toMatchObject({ attachments: [{ id: file, name: 'b.txt', size: 4 }] });
  });

  it('omits the diff of an added or deleted wiki page', async () => {
    const { project } = tested;
    await tested.addWebhook(endpoint, { activityTypeIds: [5, 7] });
    const page = { projectId: project.id, name: 'Page', content: `Long ${'text '.repeat(1000)}` };
    const { body: wiki } = await member.api.post<{ id: number }>('/wikis', page);
    await member.api.delete(`/wikis/${wiki.id}`);
    for (const request of await endpoint.received(2)) {
      const payload = payloadOf(request);
      const { body } = await member.api.get<{ content: Record<string, unknown> }>(
        `/activities/${Number(payload.id)}`,
      );
      const { diff, ...others } = body.content;
      expect(diff).toEqual(expect.any(String));
      expect(payload.content).toEqual(others);
    }
  });

  it('carries the id of the activity', async () => {
    const { world, project } = tested;
    await tested.addWebhook(endpoint);
    await comment(member, project);
    const [request] = await endpoint.received(1);
    const rows = await world.dataSource.query('SELECT id FROM activity WHERE project_id = ?', [project.id]);
    expect(rows).toEqual([{ id: payloadOf(request).id }]);
  });

  it.each<[string, object, number[]]>([
    ['every type for allEvent', { allEvent: true }, [3, 6, 17]],
    [
      'every type for allEvent, whatever activityTypeIds lists',
      { allEvent: true, activityTypeIds: [1] },
      [3, 6, 17],
    ],
    ['a single listed type', { activityTypeIds: [6] }, [6]],
    ['several listed types', { activityTypeIds: [17, 3] }, [3, 17]],
    ['nothing of unlisted types', { activityTypeIds: [1, 2, 16, 49] }, []],
    ['nothing without listed types', {}, []],
  ])('sends %s', async (_what, fields, types) => {
    const { world, receiver, project, owner } = tested;
    const all = receiver.endpoint();
    await tested.addWebhook(all);
    await tested.addWebhook(endpoint, fields);
    const id = await comment(member, project);
    await member.api.post(`/issues/${project.issueKey}/comments/${id}/notifications`, {
      notifiedUserId: [owner.id],
    });
    await member.api.post(`/wikis/${project.wikiId}/attachments`, {
      attachmentId: [await world.addUpload(member)],
    });
    await all.received(3);
    await endpoint.received(types.length);
    expect(endpoint.requests.map((request) => payloadOf(request).type).sort()).toEqual([...types].sort());
    expect(await deliveryCount()).toBe(3 + types.length);
  });

  it('sends each webhook of a project its own delivery, and none to another project', async () => {
    const { world, receiver, project } = tested;
    const second = receiver.endpoint();
    const elsewhere = await world.addProject();
    const other = await addWebhook(world.admin, elsewhere, endpoint);
    await tested.addWebhook(second);
    const third = receiver.endpoint();
    await tested.addWebhook(third);
    await comment(member, project);
    const [[a], [b]] = await Promise.all([second.received(1), third.received(1)]);
    expect(a?.body).toBe(b?.body);
    expect(a?.headers['webhook-id']).not.toBe(b?.headers['webhook-id']);
    expect(await other.deliveries()).toEqual([]);
  });

  it('uses the webhooks and the content at the time of the event', async () => {
    const { world, receiver, project, owner } = tested;
    const webhook = await tested.addWebhook(endpoint, { activityTypeIds: [3] });
    await disable(world, webhook);
    await comment(member, project, 'Then');
    const late = await tested.addWebhook(receiver.endpoint());
    await world.dataSource.query("UPDATE webhook SET activity_type_ids = '[1]' WHERE id = ?", [webhook.id]);
    await world.dataSource.query("UPDATE project SET name = 'Renamed' WHERE id = ?", [project.id]);
    await owner.api.post(`${webhook.path}/enable`);
    const [request] = await endpoint.received(1);
    expect(payloadOf(request)).toMatchObject({
      project: { name: `Project ${project.key}` },
      content: { comment: { content: 'Then' } },
    });
    expect(await late.deliveries()).toEqual([]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['an added issue type', () => tested.owner.api.post(at('issueTypes'), { name: 'Bug', color: '#123456' })],
    ['an added status', () => tested.owner.api.post(at('statuses'), { name: 'Review', color: '#123456' })],
    ['an added webhook', () => tested.addWebhook(tested.receiver.endpoint(), {})],
    ['a read request', () => member.api.get(pullRequestComments(tested.project))],
    [
      'an edited comment',
      async () => {
        const { world, project } = tested;
        const id = await world.addComment(project.pullRequestThreadId, member);
        return member.api.patch(`${pullRequestComments(project)}/${id}`, { content: 'Edited' });
      },
    ],
    ['a comment with an unknown user', () => post(member, { content: 'x', notifiedUserId: [999_999] })],
    ['a comment with an unknown file', () => post(member, { content: 'x', attachmentId: [999_999] })],
    ['a blank comment', () => post(member, { content: ' ' })],
    [
      'a comment by a user outside the project',
      async () => post(await tested.world.addUser(), { content: 'x' }),
    ],
    [
      'a comment by a Viewer',
      async () => post(await tested.world.addMember(tested.project, RoleType.Viewer), { content: 'x' }),
    ],
    [
      'a second notification of the same user',
      async () => {
        const { world, project, owner } = tested;
        const id = await world.addComment(project.issueThreadId, member);
        await world.dataSource.query(
          `INSERT INTO notification (comment_id, user_id, sender_id, reason, already_read, resource_already_read, created)
           VALUES (?, ?, ?, 2, ?, ?, 1)`,
          [id, owner.id, member.id, false, false],
        );
        return member.api.post(`/issues/${project.issueKey}/comments/${id}/notifications`, {
          notifiedUserId: [owner.id],
        });
      },
    ],
    ['a change that is rolled back', rolledBackActivity],
  ])('sends nothing for %s', async (_what, act) => {
    const { world, project } = tested;
    await tested.addWebhook(endpoint);
    await act();
    expect(await deliveryCount()).toBe(0);
    expect(await activitiesOf(world, project)).toEqual([]);
    await comment(member, project, 'The first event');
    await endpoint.received(1);
    expect(await deliveryCount()).toBe(1);
  });

  const at = (list: string): string => `/projects/${tested.project.key}/${list}`;
  const post = (person: Person, body: object): Promise<unknown> =>
    person.api.post(`/issues/${tested.project.issueKey}/comments`, body);

  async function rolledBackActivity(): Promise<void> {
    const { world, project } = tested;
    const work = world.write(async (manager) => {
      await world.service(ActivitiesService).record(manager, {
        projectId: project.id,
        type: ActivityType.IssueCommented,
        content: {} as IssueChangeContent,
        author: member,
        created: Date.now(),
      });
      throw new Error('Changed my mind');
    });
    await expect(work).rejects.toThrow('Changed my mind');
  }

  async function deliveryCount(): Promise<number> {
    const rows = await tested.world.dataSource.query<{ id: number }[]>(
      'SELECT d.id AS id FROM webhook_delivery d JOIN webhook w ON w.id = d.webhook_id WHERE w.project_id = ?',
      [tested.project.id],
    );
    return rows.length;
  }
});
