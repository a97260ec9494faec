import { text } from 'node:stream/consumers';
import { Backlog, type Option, Types } from 'backlog-js';
import { RoleType } from '../../src/access/role-type';
import { ApiClient } from '../support/api';
import { Receiver } from '../support/receiver';
import { QUICK_DELIVERY } from '../support/webhooks';
import { World } from '../support/world';

const HOST = 'space.example.com';
const ISSUE_CREATED = 1 as never;

/** A team member: the published client, and plain requests where it has no method. */
interface Member {
  id: number;
  client: Backlog;
  api: ApiClient;
}

type PullRequestPatch = Option.PullRequest.PatchPullRequestParams;

describe("a team's day with backlog-js", () => {
  let world: World;
  let receiver: Receiver;
  let boss: Member;
  let dora: Member;
  let rita: Member;

  const clientOf = (apiKey: string): Backlog =>
    new Backlog({
      host: HOST,
      apiKey,
      fetch: (input, init) =>
        fetch((input as string).replace(`https://${HOST}/api/v2`, world.server.baseUrl), init),
    });

  const member = (id: number, key: string): Member => ({
    id,
    client: clientOf(key),
    api: new ApiClient(world.server.baseUrl, key),
  });

  /** Creates a user with a key, as an administrator does. */
  const hire = async (userId: string, name: string, roleType: RoleType): Promise<Member> => {
    const user = await boss.client.postUser({
      userId,
      password: 'correct horse battery',
      name,
      mailAddress: `${userId}@example.com`,
      // The client's own enumeration has other names for the same numbers.
      roleType: roleType as never,
    });
    const { status, body } = await boss.api.post<{ key: string }>(`/users/${user.id}/apiKeys`, {
      name: 'laptop',
    });
    expect(status).toBe(201);
    return member(user.id, body.key);
  };

  const upload = async ({ client }: Member, name: string, content: string): Promise<number> => {
    const form = new FormData();
    form.append('file', new Blob([content]), name);
    return (await client.postSpaceAttachment(form)).id;
  };

  const contentOf = async (download: Promise<unknown>): Promise<[name: string, content: string]> => {
    const { filename, body } = (await download) as { filename: string; body: ReadableStream<Uint8Array> };
    return [filename, await text(body)];
  };

  const fieldsOf = (entries: readonly { field: string }[]): string[] => entries.map(({ field }) => field);

  beforeAll(async () => {
    receiver = await Receiver.start();
    world = await World.start(QUICK_DELIVERY);
    boss = member(world.admin.id, world.server.adminKey);
  });

  afterAll(async () => {
    await world.stop();
    await receiver.stop();
  });

  it('goes from an empty space to a merged change, and reads it all back', async () => {
    // The team and its project.
    expect(await boss.client.getSpace()).toMatchObject({ spaceKey: 'space', ownerId: boss.id });
    dora = await hire('dora', 'Dora Developer', RoleType.NormalUser);
    rita = await hire('rita', 'Rita Reporter', RoleType.Reporter);
    const project = await boss.client.postProject({
      name: 'Rocket',
      key: 'ROCKET',
      chartEnabled: false,
      subtaskingEnabled: true,
      textFormattingRule: 'markdown',
    });
    for (const { id } of [dora, rita]) await boss.client.postProjectUser('ROCKET', String(id));
    await boss.client.postProjectAdministrators('ROCKET', { userId: dora.id });
    expect((await rita.client.getProjects()).map(({ projectKey }) => projectKey)).toEqual(['ROCKET']);

    // Its settings.
    const statuses = await dora.client.getProjectStatuses('ROCKET');
    expect(statuses.map(({ id, name }) => [id, name])).toEqual([
      [1, 'Open'],
      [2, 'In Progress'],
      [3, 'Resolved'],
      [4, 'Closed'],
    ]);
    const review = await dora.client.postProjectStatus('ROCKET', { name: 'In review', color: '#3b9dbd' });
    const engine = await dora.client.postCategories('ROCKET', { name: 'Engine' });
    const maiden = await dora.client.postVersions('ROCKET', {
      name: 'Maiden flight',
      releaseDueDate: '2026-12-24',
    });
    const [task, bug] = await dora.client.getIssueTypes('ROCKET');
    expect((await dora.client.getPriorities()).map(({ name }) => name)).toEqual(['High', 'Normal', 'Low']);
    const chat = receiver.endpoint();
    const hook = await dora.client.postWebhook('ROCKET', {
      name: 'Chat',
      hookUrl: chat.url,
      allEvent: true,
    });

    // Rita reports a problem, with a file.
    const log = await upload(rita, 'log äöü.txt', 'it shakes');
    const issue = await rita.client.postIssue({
      projectId: project.id,
      summary: 'The engine shakes',
      description: 'At full power, 100% of the time.',
      issueTypeId: bug!.id,
      priorityId: 2,
      categoryId: [engine.id],
      versionId: [maiden.id],
      attachmentId: [log],
      notifiedUserId: [dora.id],
    });
    expect(issue).toMatchObject({
      issueKey: 'ROCKET-1',
      keyId: 1,
      status: { id: 1 },
      priority: { id: 2, name: 'High' },
      category: [{ name: 'Engine' }],
      attachments: [{ id: log, name: 'log äöü.txt', size: 9 }],
    });

    // Dora takes it, splits it, and works on it.
    await dora.client.patchIssue('ROCKET-1', {
      statusId: 2,
      assigneeId: dora.id,
      milestoneId: [maiden.id],
      dueDate: '2026-12-01',
      estimatedHours: 7.5,
      comment: 'On it.',
    });
    const part = await dora.client.postIssue({
      projectId: project.id,
      summary: 'Balance the pump',
      issueTypeId: task!.id,
      priorityId: 3,
      parentIssueId: issue.id,
    });
    await rita.client.postIssueComments('ROCKET-1', { content: 'Thank you!', notifiedUserId: [dora.id] });
    const remark = await dora.client.postIssueComments('ROCKET-1', { content: 'Tpyo' });
    await dora.client.patchIssueComment('ROCKET-1', remark.id, { content: 'Found it in the pump.' });

    // A pull request, reviewed and merged.
    const repository = await dora.api.post('/projects/ROCKET/git/repositories', {
      name: 'engine',
      description: 'Pumps and valves',
    });
    expect(repository.status).toBeLessThan(300);
    const request = await dora.client.postPullRequest('ROCKET', 'engine', {
      summary: 'Balance the pump',
      description: 'Half the mass, twice the speed.',
      base: 'main',
      branch: 'pump',
      issueId: issue.id,
      assigneeId: boss.id,
    });
    expect(request).toMatchObject({ number: 1, status: { id: 1, name: 'Open' }, issue: { id: issue.id } });
    const opinion = await boss.client.postPullRequestComments('ROCKET', 'engine', 1, {
      content: 'Fine, but name the constant.',
      notifiedUserId: [dora.id],
    });
    await dora.client.patchPullRequest('ROCKET', 'engine', 1, { summary: 'Balance the fuel pump' });
    await boss.client.patchPullRequestComments('ROCKET', 'engine', 1, opinion.id, { content: 'Fine.' });
    // The client's types lack the status, which the family's users miss.
    await boss.client.patchPullRequest('ROCKET', 'engine', 1, { statusId: 3 } as PullRequestPatch);

    // The lessons are documented, and starred.
    const page = await dora.client.postWiki({
      projectId: project.id,
      name: '[engine] Pumps',
      content: '# Pumps\nThey shake.',
    });
    await dora.client.patchWiki(page.id, { content: '# Pumps\nThey shook.' });
    const drawing = await upload(dora, 'pump.svg', '<svg/>');
    await dora.client.postWikisAttachments(page.id, [drawing]);
    await rita.client.postStar({ wikiId: page.id });
    await rita.client.postStar({ issueId: issue.id });
    await rita.client.postStar({ commentId: remark.id });
    await dora.client.postStar({ pullRequestId: request.id });
    await dora.client.postStar({ pullRequestCommentId: opinion.id });

    // The issue is done.
    await dora.client.patchIssue(part.id, { statusId: 4, resolutionId: 0 });
    await dora.client.patchIssue('ROCKET-1', { statusId: review.id });
    await dora.client.patchIssue('ROCKET-1', { statusId: 4, resolutionId: 0, actualHours: 6.25 });

    // The issues are read back.
    const done = await rita.client.getIssue('ROCKET-1', { expand: ['childIssueSummary'] });
    expect(done).toMatchObject({
      status: { id: 4, name: 'Closed' },
      resolution: { id: 0, name: 'Fixed' },
      assignee: { id: dora.id },
      milestone: [{ id: maiden.id }],
      dueDate: '2026-12-01T00:00:00Z',
      estimatedHours: 7.5,
      actualHours: 6.25,
      stars: [{ presenter: { id: rita.id } }],
      childIssueSummary: { total: 1, closed: 1 },
    });
    const closed = { projectId: [project.id], statusId: [4], order: 'asc' as const };
    expect((await rita.client.getIssues(closed)).map(({ issueKey }) => issueKey)).toEqual([
      'ROCKET-1',
      'ROCKET-2',
    ]);
    expect(await rita.client.getIssuesCount(closed)).toEqual({ count: 2 });
    expect(await rita.client.getIssuesCount({ keyword: 'in the PUMP' })).toEqual({ count: 1 });
    expect((await rita.client.getIssues({ parentIssueId: [issue.id] })).map(({ id }) => id)).toEqual([
      part.id,
    ]);
    const comments = await rita.client.getIssueComments('ROCKET-1', { order: 'asc' });
    expect(comments.map(({ content }) => content)).toEqual([
      'On it.',
      'Thank you!',
      'Found it in the pump.',
      '',
      '',
    ]);
    expect(fieldsOf(comments[0]!.changeLog).toSorted()).toEqual([
      'assigner',
      'estimatedHours',
      'limitDate',
      'milestone',
      'status',
    ]);
    expect(comments[2]!.stars).toMatchObject([{ presenter: { id: rita.id } }]);
    expect(await rita.client.getIssueCommentsCount('ROCKET-1')).toEqual({ count: 5 });
    expect((await rita.client.getIssueParticipants('ROCKET-1')).map(({ id }) => id)).toEqual([
      dora.id,
      rita.id,
    ]);
    expect(await contentOf(rita.client.getIssueAttachment('ROCKET-1', log))).toEqual([
      'log äöü.txt',
      'it shakes',
    ]);

    // The pull request is read back; reporters have no access to git.
    expect(await boss.client.getPullRequest('ROCKET', 'engine', 1)).toMatchObject({
      summary: 'Balance the fuel pump',
      status: { id: 3, name: 'Merged' },
      mergeAt: expect.any(String),
      stars: [{ presenter: { id: dora.id } }],
    });
    expect(await boss.client.getPullRequestsCount('ROCKET', 'engine', { statusId: [3] })).toEqual({
      count: 1,
    });
    const remarks = await boss.client.getPullRequestComments('ROCKET', 'engine', 1, { order: 'asc' });
    expect(remarks.map(({ content, changeLog }) => [content, fieldsOf(changeLog)])).toEqual([
      ['Fine.', ['notification']],
      ['', ['summary']],
      ['', ['status']],
    ]);
    await expect(rita.client.getGitRepositories('ROCKET')).rejects.toMatchObject({ status: 403 });

    // The wiki is read back.
    const [listed] = await rita.client.getWikis({ projectIdOrKey: 'ROCKET', keyword: 'SHOOK' });
    expect(listed).toMatchObject({ id: page.id, name: 'Pumps', tags: [{ name: 'engine' }] });
    expect(await rita.client.getWikisTags('ROCKET')).toMatchObject([{ name: 'engine' }]);
    expect((await rita.client.getWikisHistory(page.id, {})).map(({ version }) => version)).toEqual([2, 1]);
    expect(await rita.client.getWikisStars(page.id)).toMatchObject([{ presenter: { id: rita.id } }]);
    expect(await contentOf(rita.client.getWikiAttachment(page.id, drawing))).toEqual(['pump.svg', '<svg/>']);

    // The notifications.
    const told = await dora.client.getNotifications({});
    expect(told.map(({ reason }) => reason)).toEqual([11, 2, 3, 6]);
    expect(told[0]).toMatchObject({
      sender: { id: boss.id },
      project: { projectKey: 'ROCKET' },
      pullRequest: { number: 1 },
      pullRequestComment: { id: opinion.id },
    });
    const unread = { alreadyRead: false, resourceAlreadyRead: false };
    expect(await dora.client.getNotificationsCount(unread)).toEqual({ count: 4 });
    await dora.client.markAsReadNotification(told[0]!.id);
    expect(await dora.client.resetNotificationsMarkAsRead()).toEqual({ count: 3 });
    expect(await dora.client.getNotificationsCount(unread)).toEqual({ count: 0 });

    // The activities, in chronological order.
    const activities = await boss.client.getProjectActivities('ROCKET', { count: 100, order: 'asc' });
    expect(activities.map(({ type }) => type as number)).toEqual([
      15, 15, 22, 1, 2, 1, 3, 3, 13, 18, 20, 19, 19, 5, 6, 6, 2, 2, 2,
    ]);
    // All events since the webhook was added have arrived too.
    const events = await chat.received(activities.length - 3);
    const ids = events.map(({ body }) => (JSON.parse(body) as { id: number }).id);
    expect(ids.toSorted((one, other) => one - other)).toEqual(activities.slice(3).map(({ id }) => id));
    const [newest] = await boss.client.getSpaceActivities({ count: 1 });
    expect(newest).toEqual(activities.at(-1));
    expect(await boss.client.getUserActivities(rita.id, { activityTypeId: [ISSUE_CREATED] })).toMatchObject([
      { content: { key_id: 1, summary: 'The engine shakes' } },
    ]);

    // In the evening, everything is cleaned up.
    expect(await dora.client.patchWebhook('ROCKET', String(hook.id), { allEvent: false })).toMatchObject({
      name: 'Chat',
      allEvent: false,
    });
    await dora.client.deleteWebhook('ROCKET', String(hook.id));
    expect(await dora.client.getWebhooks('ROCKET')).toEqual([]);
    await dora.client.deleteProjectStatus('ROCKET', review.id, 3);
    await dora.client.deleteWiki(page.id, false);
    await dora.client.deleteIssue(part.id);
    await boss.client.deleteProjectUsers('ROCKET', { userId: rita.id });
    await expect(rita.client.getProject('ROCKET')).rejects.toMatchObject({ status: 404 });
    await boss.client.deleteUser(rita.id);
    await expect(rita.client.getMyself()).rejects.toMatchObject({ status: 401 });
    await boss.client.deleteProject('ROCKET');
    expect(await boss.client.getProjects({ all: true })).toEqual([]);
  });

  it('uses teams, custom fields, watchings, shared files and documents', async () => {
    const KEY = 'SHUTTLE';
    const rick = await hire('rick', 'Rick Rookie', RoleType.NormalUser);
    const project = await boss.client.postProject({
      name: 'Shuttle',
      key: KEY,
      chartEnabled: false,
      subtaskingEnabled: false,
      textFormattingRule: 'markdown',
    });
    const [task] = await boss.client.getIssueTypes(KEY);
    const idsOf = (items: readonly { id: number }[]): number[] =>
      items.map(({ id }) => id).toSorted((one, other) => one - other);

    // A team joins the project, and its members with it.
    const team = [dora, rick];
    const crew = await boss.client.postTeam({ name: 'Crew', members: idsOf(team) });
    await boss.client.postProjectTeam(KEY, crew.id);
    expect((await rick.client.getProjectTeams(KEY)).map(({ name }) => name)).toEqual(['Crew']);
    expect(idsOf(await rick.client.getProjectUsers(KEY))).toEqual(idsOf([boss, ...team]));
    await boss.client.putSpaceNotification({ content: 'No flights on Sunday.' });
    expect(await rick.client.getSpaceNotification()).toMatchObject({ content: 'No flights on Sunday.' });

    // Flights have their own custom fields.
    const mass = await boss.client.postCustomField(KEY, {
      typeId: Types.CustomFieldType.Numeric,
      name: 'Mass',
      min: 0,
      unit: 't',
    });
    const risk = await boss.client.postCustomField(KEY, {
      typeId: Types.CustomFieldType.SingleList,
      name: 'Risk',
      required: true,
      items: ['Low', 'High'],
    });
    const [low, high] = risk.items!;
    const values = { [`customField_${mass.id}`]: 12.5, [`customField_${risk.id}`]: high!.id };
    const found = [{ [`customField_${mass.id}_min`]: 12 }, { [`customField_${risk.id}`]: [high!.id] }];
    const notFound = [{ [`customField_${mass.id}_max`]: 12 }, { [`customField_${risk.id}`]: [low!.id] }];
    const without = { projectId: project.id, summary: 'Without', issueTypeId: task!.id, priorityId: 3 };
    await expect(dora.client.postIssue(without)).rejects.toMatchObject({ status: 400 });
    const flight = { projectId: project.id, issueTypeId: task!.id, priorityId: 3, ...values };
    const issue = await dora.client.postIssue({ ...flight, summary: 'Fly to the moon' });
    const fuel = await dora.client.postIssue({ ...flight, summary: 'Fill the tank', ...values });
    for (const filter of found) expect(await rick.client.getIssuesCount(filter)).toEqual({ count: 2 });
    for (const filter of notFound) expect(await rick.client.getIssuesCount(filter)).toEqual({ count: 0 });

    // Issues are linked, watched and found again.
    await dora.client.addRelatedIssue(issue.id, { targetIssueId: fuel.id });
    expect(await rick.client.getRelatedIssues(fuel.id)).toMatchObject([{ id: issue.id, type: 'RELATES' }]);
    const { id: watchingId } = await rick.client.postWatchingListItem({
      issueIdOrKey: issue.issueKey,
      note: 'My flight',
    });
    await dora.client.patchIssue(issue.id, { summary: 'Fly around the moon' });
    const watching = { note: 'My flight', issue: { summary: 'Fly around the moon' } };
    const unread = { ...watching, resourceAlreadyRead: false };
    expect(await rick.client.getWatchingListItems(rick.id)).toMatchObject([unread]);
    expect(await rick.client.getNotifications({ count: 1 })).toMatchObject([{ issue: { id: issue.id } }]);
    await rick.client.resetWatchingListItemAsRead(watchingId);
    expect(await rick.client.getWatchingListItem(watchingId)).toMatchObject({
      ...watching,
      resourceAlreadyRead: true,
    });
    await rick.client.getIssue(fuel.id);
    expect((await rick.client.getRecentlyViewedIssues({ count: 1 })).map((item) => item.issue.id)).toEqual([
      fuel.id,
    ]);
    const before = await boss.client.getUserStarsCount(dora.id, {});
    await rick.client.postStar({ issueId: issue.id });
    expect(await boss.client.getUserStarsCount(dora.id, {})).toEqual({ count: before.count + 1 });

    // Plans are files and documents.
    const plan = 'Up, around, and down.';
    const form = new FormData();
    form.append('path', '/flights/moon');
    form.append('file', new Blob([plan]), 'plan äöü.txt');
    expect((await dora.api.send('POST', `/projects/${KEY}/files`, form)).status).toBeLessThan(300);
    const [file] = await rick.client.getSharedFiles(KEY, 'flights/moon', {});
    expect(await contentOf(rick.client.getSharedFile(KEY, file!.id))).toEqual(['plan äöü.txt', plan]);
    await rick.client.linkIssueSharedFiles(issue.id, { fileId: [file!.id] });
    expect(await dora.client.getIssue(issue.id)).toMatchObject({ sharedFiles: [{ name: 'plan äöü.txt' }] });
    const usage = { file: Buffer.byteLength(plan) };
    expect(await boss.client.getProjectsDiskUsage(KEY)).toMatchObject(usage);
    const manual = await dora.client.addDocument({
      projectId: project.id,
      title: 'Flight manual',
      content: '# Start\n\nPush the *red* button.',
    });
    const [read] = await rick.client.getDocuments({ keyword: 'red', offset: 0 });
    expect(read).toMatchObject({ id: manual.id, title: 'Flight manual' });
    expect(read!.plain).toContain('Push the red button.');
    await boss.client.deleteDocument(manual.id);
    expect(await rick.client.getDocuments({ projectId: [project.id], offset: 0 })).toEqual([]);

    // The team is deleted, and only the boss is left.
    const [listed] = await boss.client.getTeams();
    await boss.client.deleteTeam(listed!.id);
    await expect(rick.client.getProject(KEY)).rejects.toMatchObject({ status: 404 });
    await boss.client.deleteProject(KEY);
  });
});
