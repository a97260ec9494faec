import { join } from 'node:path';
import { Backlog, type Entity, type Option, Types } from 'backlog-js';
import { RoleType } from '../../src/access/role-type';
import { type Person, useWorld } from '../support/world';
import { DeclaredTypes } from './declared-types';
import { DOCUMENTED_OPERATIONS } from './documented-operations';
import { type AnswerProblem, contentOf, RecordedClients } from './recorded-client';

const DECLARATIONS = join(require.resolve('backlog-js'), '../index.d.cts');
const { CustomFieldType } = Types;
const KEY = 'ROCKET';
const REPOSITORY = 'engine';

/** The activity types of each type of content; the client declares a union of all of them. */
const CONTENTS: Readonly<Record<string, readonly number[]>> = {
  IssueCreatedContent: [1],
  IssueContent: [2, 3, 17],
  IssueDeletedContent: [4],
  WikiContent: [5, 6, 7],
  FileContent: [8, 9, 10],
  GitRepositoryCreatedContent: [13],
  ProjectMemberUpdatedContent: [15, 16],
  PullRequestContent: [18, 19, 20],
  VersionContent: [22, 24],
  VersionUpdatedContent: [23],
  ProjectTeamContent: [25, 26],
  StatusDeletedContent: [34],
  DocumentContent: [36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46],
};

const contentOfType = (type: number): string => {
  const found = Object.keys(CONTENTS).find((name) => CONTENTS[name]!.includes(type));
  if (found === undefined) throw new Error(`The content of activities of type ${type} is not known.`);
  return found;
};

/** Documented operations without a method of the client, or whose method calls another operation. */
const WITHOUT_METHOD = [
  'GET /activities/{activityId}',
  'POST /users/myself/recentlyViewedIssues',
  'POST /users/myself/recentlyViewedWikis',
  'GET /documents/count',
  'GET /documents/{documentId}/comments',
  'POST /documents/{documentId}/tags',
  'DELETE /documents/{documentId}/tags',
  'DELETE /projects/{projectIdOrKey}/git/repositories/{repoIdOrName}/pullRequests/{number}/attachments/{attachmentId}',
];

interface Difference extends Pick<AnswerProblem, 'field' | 'kind'> {
  /** The methods with the difference; all methods that return the field by default. */
  of?: readonly string[];
  reason: string;
}

const OWN_COLOURS = 'the standard statuses have colours of their own, which no other status can be given';
const ONE_OF_THREE = 'an entry of a change log has one of the three, and null for the others';
const SPECIFIED = 'the contract of the operation does not have it';
const UNDOCUMENTED = 'no documented activity has it';
const COMMENT_METHODS = ['postIssueComments', 'postIssueCommentNotifications'];
const ACTIVITY_METHODS = ['getProjectActivities', 'getSpaceActivities', 'getUserActivities'];

/** Fields for which the client declares something else than the family returns. */
const DIFFERENCES: readonly Difference[] = [
  { field: 'Project.ProjectStatus.color', kind: 'other', reason: OWN_COLOURS },
  { field: 'ChangeLog.IssueChangeLog.attachmentInfo', kind: 'null', reason: ONE_OF_THREE },
  { field: 'ChangeLog.IssueChangeLog.attributeInfo', kind: 'null', reason: ONE_OF_THREE },
  { field: 'ChangeLog.IssueChangeLog.notificationInfo', kind: 'null', reason: ONE_OF_THREE },
  { field: 'ChangeLog.AttachmentInfo.type', kind: 'missing', reason: 'the family names the file in `name`' },
  { field: 'ChangeLog.AttributeInfo.typeId', kind: 'other', reason: 'a text in the contract' },
  { field: 'License.License.limitDate', kind: 'null', reason: 'the licence has no end' },
  { field: 'Issue.Comment.projectId', kind: 'missing', of: COMMENT_METHODS, reason: SPECIFIED },
  { field: 'Issue.Comment.issueId', kind: 'missing', of: COMMENT_METHODS, reason: SPECIFIED },
  { field: 'PullRequest.PullRequest.issue', kind: 'null', reason: 'a pull request need not have one' },
  { field: 'Activity.ActivityChange.field_text', kind: 'missing', reason: UNDOCUMENTED },
  {
    field: 'User.User.lastLoginTime',
    kind: 'missing',
    of: ACTIVITY_METHODS,
    reason: 'the users in the content of an activity do not have it',
  },
  {
    field: 'File.WikiFileInfo.createdUser',
    kind: 'missing',
    of: ['postWikisAttachments'],
    reason: SPECIFIED,
  },
  { field: 'File.WikiFileInfo.created', kind: 'missing', of: ['postWikisAttachments'], reason: SPECIFIED },
];

/** Fields that have no value in any response. */
const NEVER: readonly { fields: RegExp; reason: string }[] = [
  { fields: /^File\.BrowserFileData\./, reason: 'is of the client in a browser' },
  { fields: /^ChangeLog\.AttachmentInfo\.type$/, reason: 'is called `name`' },
  {
    fields: /^Document\.DocumentComment\.replies$/,
    reason: 'a notification shows one comment or one answer',
  },
  { fields: /^License\.License\.limitDate$/, reason: 'the licence has no end' },
  { fields: /^License\.License\.grandchildIssueEnabled$/, reason: 'is optional, and not documented' },
  { fields: /^Activity\.Activity\.notifications$/, reason: 'is always an empty list' },
  { fields: /^Activity\.ActivityChange\.field_text$/, reason: UNDOCUMENTED },
  { fields: /^Activity\.PullRequestIssue\.issue_key$/, reason: 'is optional' },
  {
    fields: /^Activity\.(SvnContent|GitPushedContent|GitRevision)\./,
    reason: 'the service has no git and no Subversion server',
  },
  { fields: /^Git\.GitRepository\.(hookUrl|pushedAt)$/, reason: 'the service has no git server' },
  {
    fields: /^PullRequest\.PullRequest\.(base|branch|merge)Commit$/,
    reason: 'the service has no git server',
  },
  {
    fields: /^Activity\.(.*\.external_file_links$|ActivityExternalFileLink\.)/,
    reason: 'the service has no links to files elsewhere',
  },
  {
    fields: /^Activity\.(IssueMulti|MultiUpdateLink|DocumentMulti)|^__type\.content$/,
    reason: 'nothing changes several at once',
  },
  { fields: /^__type\.(id|type)$|\.group_project_activities$/, reason: 'members come one at a time' },
];

describe('the client backlog-js', () => {
  const tested = useWorld();
  let clients: RecordedClients;
  let admin: Backlog;
  let member: Backlog;
  let person: Person;
  let project: Entity.Project.Project;
  let issue: Entity.Issue.Issue;
  let task: Entity.Issue.IssueType;
  let page: Entity.Wiki.Wiki;
  let team: Entity.Team.Team;
  let file: Entity.Project.SharedFile;
  let pullRequest: Entity.PullRequest.PullRequest;
  /** A custom field of each type. */
  const fields: Entity.Project.CustomField[] = [];

  const upload = async (name: string, content: string, client = admin): Promise<number> => {
    const form = new FormData();
    form.append('file', new Blob([content]), name);
    return (await client.postSpaceAttachment(form)).id;
  };

  /** Returns the values of custom fields for a new issue. */
  const customValues = (): Record<string, unknown> => {
    const simple = ['A', 'Long', 3, '2026-12-01'];
    return Object.fromEntries(
      fields.flatMap(({ id, typeId, items }, index) => {
        const ids = (items ?? []).map((item) => item.id);
        const takesMany = typeId === CustomFieldType.MultipleList || typeId === CustomFieldType.CheckBox;
        const value = simple[index] ?? (takesMany ? ids : ids[0]);
        const takesOther = typeId === CustomFieldType.CheckBox || typeId === CustomFieldType.Radio;
        const entries: [string, unknown][] = [[`customField_${id}`, value]];
        return takesOther ? [...entries, [`customField_${id}_otherValue`, 'Other'] as const] : entries;
      }),
    );
  };

  /** Performs the operations on documents that the family's clients lack, through our own API. */
  const discuss = async (documentId: string, attachmentId: number[]): Promise<void> => {
    const post = async (path: string, body: object): Promise<{ id: string }> => {
      const answer = await person.api.post<{ id: string }>(`/documents/${documentId}/${path}`, body);
      expect(answer.status).toBeLessThan(300);
      return answer.body;
    };
    await post('attachments', { attachmentId });
    await post('tags', { tagNames: ['manual'] });
    const notifiedUserId = [tested.world.admin.id];
    const comment = await post('comments', { content: 'Which button?', notifiedUserId });
    await post('comments', { content: 'The red one.', commentId: comment.id, notifiedUserId });
  };

  beforeAll(async () => {
    const { world } = tested;
    clients = new RecordedClients(
      world.server.baseUrl,
      new DeclaredTypes(DECLARATIONS, 'Backlog', {
        'Activity.Activity.content': ({ type }) => contentOfType(type as number),
      }),
    );
    admin = clients.as(world.server.adminKey);
    person = await world.addUser();
    member = clients.as(person.key);
  });

  it('has 151 methods with declarations', () => {
    const ofItsOwn = ['constructor', 'download', 'upload', 'parseFileData'];
    const methods = Object.getOwnPropertyNames(Backlog.prototype).filter((name) => !ofItsOwn.includes(name));
    expect(methods).toHaveLength(151);
    expect(clients.types.methods.toSorted()).toEqual(methods.toSorted());
  });

  it('reads and writes the space', async () => {
    await admin.getSpace();
    await admin.putSpaceNotification({ content: 'Down on Sunday' });
    await member.getSpaceNotification();
    await admin.getLicence();
    await admin.getRateLimit();
    await admin.getPriorities();
    await admin.getResolutions();
    await contentOf(await admin.getSpaceIcon());
  });

  it('manages users', async () => {
    const user = await admin.postUser({
      userId: 'dora',
      password: 'correct horse battery',
      name: 'Dora',
      mailAddress: 'dora@example.com',
      roleType: RoleType.NormalUser as never,
    });
    await admin.patchUser(user.id, { name: 'Dora Developer' });
    await admin.getUser(user.id);
    await admin.getUsers();
    await admin.getMyself();
    await contentOf(await member.getUserIcon(user.id));
    await admin.deleteUser(user.id);
  });

  it('manages a project and its members', async () => {
    const { api } = tested.world.admin;
    project = await admin.postProject({
      name: 'Rocket',
      key: KEY,
      chartEnabled: false,
      subtaskingEnabled: true,
      textFormattingRule: 'markdown',
    });
    await admin.patchProject(KEY, { name: 'Rockets', grandchildIssueEnabled: true });
    await admin.getProject(project.id);
    await admin.postProjectUser(KEY, String(person.id));
    await admin.getProjects({ all: true });
    await member.getProject(KEY);
    await member.getProjectUsers(KEY);
    await admin.postProjectAdministrators(KEY, { userId: person.id });
    await member.getProjectAdministrators(KEY);
    await contentOf(await member.getProjectIcon(KEY));
    const repository = await api.post(`/projects/${KEY}/git/repositories`, {
      name: REPOSITORY,
      description: '',
    });
    expect(repository.status).toBeLessThan(300);
  });

  it("manages a project's settings", async () => {
    const review = await admin.postProjectStatus(KEY, { name: 'Review', color: '#3b9dbd' });
    await admin.patchProjectStatus(KEY, review.id, { name: 'In review' });
    const statuses = await member.getProjectStatuses(KEY);
    await admin.patchProjectStatusOrder(
      KEY,
      statuses.map(({ id }) => id),
    );
    await admin.deleteProjectStatus(KEY, review.id, 1);

    const templates = { templateSummary: 'A report', templateDescription: 'What was seen' };
    const report = { name: 'Report', color: '#990000', ...templates } as const;
    task = await member.postIssueType(KEY, report);
    const other = await member.postIssueType(KEY, { name: 'Odd', color: '#e30000' });
    await member.patchIssueType(KEY, other.id, { name: 'Another' });
    await member.getIssueTypes(KEY);
    await member.deleteIssueType(KEY, other.id, { substituteIssueTypeId: task.id });

    const category = await member.postCategories(KEY, { name: 'Pump' });
    await member.patchCategories(KEY, category.id, { name: 'Pumps' });
    await member.getCategories(KEY);
    await member.deleteCategories(KEY, category.id);

    const dates = { startDate: '2026-11-01', releaseDueDate: '2026-12-24' };
    const version = await member.postVersions(KEY, { name: 'First', description: 'The first', ...dates });
    await member.patchVersions(KEY, version.id, { name: 'The first', archived: true });
    await member.getVersions(KEY);
    await member.deleteVersions(KEY, version.id);
  });

  it('manages teams', async () => {
    team = await admin.postTeam({ name: 'Crew', members: [person.id] });
    await admin.patchTeam(team.id, { name: 'The crew' });
    await admin.getTeam(team.id);
    await admin.getTeams({ count: 5 });
    await contentOf(await member.getTeamIcon(team.id));
    await admin.postProjectTeam(KEY, team.id);
    await member.getProjectTeams(KEY);
  });

  it('manages custom fields', async () => {
    const list = { items: ['One', 'Two'], allowAddItem: true };
    const settings: Option.Project.PostCustomFieldParams[] = [
      { typeId: CustomFieldType.Text, name: 'Text', description: 'A word', applicableIssueTypes: [task.id] },
      { typeId: CustomFieldType.TextArea, name: 'Text area' },
      {
        typeId: CustomFieldType.Numeric,
        name: 'Number',
        min: 1,
        max: 5,
        initialValue: 3,
        unit: 'kg',
      } as never,
      {
        typeId: CustomFieldType.Date,
        name: 'Date',
        min: '2026-01-01',
        max: '2026-12-31',
        initialValueType: 3,
        initialDate: '2026-06-01',
      } as never,
      { typeId: CustomFieldType.SingleList, name: 'List', ...list },
      { typeId: CustomFieldType.MultipleList, name: 'Lists', ...list },
      { typeId: CustomFieldType.CheckBox, name: 'Boxes', ...list, allowInput: true } as never,
      { typeId: CustomFieldType.Radio, name: 'Radio', ...list, allowInput: true } as never,
    ];
    for (const each of settings) fields.push(await admin.postCustomField(KEY, each));
    const shifted = { typeId: CustomFieldType.Date, name: 'In a week', initialValueType: 2, initialShift: 7 };
    await admin.postCustomField(KEY, shifted);
    const [text, , , , choice] = fields;
    await admin.patchCustomField(KEY, text!.id, { description: 'One word' });
    const added = await member.postCustomFieldItem(KEY, choice!.id, { name: 'Three' });
    const item = added.items!.at(-1)!.id;
    await admin.patchCustomFieldItem(KEY, choice!.id, item, { name: 'Four' });
    await admin.deleteCustomFieldItem(KEY, choice!.id, item);
    await member.getCustomFields(KEY);
  });

  it('reads shared files', async () => {
    const form = new FormData();
    form.append('path', '/plans/2026');
    form.append('file', new Blob(['a plan']), 'plan äöü.txt');
    const { status } = await person.api.send('POST', `/projects/${KEY}/files`, form);
    expect(status).toBeLessThan(300);
    [file] = (await member.getSharedFiles(KEY, 'plans/2026', { count: 1000 })) as [typeof file];
    await contentOf(await member.getSharedFile(KEY, file.id));
  });

  it('adds, updates, lists and relates issues', async () => {
    const category = await member.postCategories(KEY, { name: 'Engine' });
    const version = await member.postVersions(KEY, {
      name: 'Maiden flight',
      description: 'Up and down',
      startDate: '2026-12-01',
      releaseDueDate: '2026-12-24',
    });
    const required = { projectId: project.id, issueTypeId: task.id, priorityId: 2 };
    issue = await member.postIssue({
      ...required,
      summary: 'The engine shakes',
      description: 'At full power',
      startDate: '2026-11-01',
      dueDate: '2026-11-30',
      estimatedHours: 4,
      actualHours: 1.5,
      categoryId: [category.id],
      versionId: [version.id],
      milestoneId: [version.id],
      assigneeId: tested.world.admin.id,
      notifiedUserId: [tested.world.admin.id],
      attachmentId: [await upload('log.txt', 'it shakes', member)],
      ...customValues(),
    });
    const child = await member.postIssue({ ...required, summary: 'Balance it', parentIssueId: issue.id });
    const paused = await admin.postProjectStatus(KEY, { name: 'Paused', color: '#393939' });
    await member.patchIssue(child.id, { statusId: paused.id });
    await admin.deleteProjectStatus(KEY, paused.id, 1);
    await member.linkIssueSharedFiles(issue.issueKey, { fileId: [file.id] });
    await member.patchIssue(issue.id, {
      statusId: 4,
      resolutionId: 0,
      comment: 'It does not shake any more.',
      attachmentId: [await upload('photo.png', 'a photo', member)],
      [`customField_${fields[2]!.id}`]: 4,
    });
    await member.getIssue(issue.issueKey, { expand: ['childIssueSummary'] });
    const filter = { projectId: [project.id], statusId: [4], keyword: 'shakes' };
    const listed = await member.getIssues(filter);
    expect(listed.map(({ id }) => id)).toEqual([issue.id]);
    await member.getIssuesCount(filter);
    await member.getIssueParticipants(issue.id);
    await member.getIssueSharedFiles(issue.id);
    const [attachment] = await member.getIssueAttachments(issue.id);
    await contentOf(await member.getIssueAttachment(issue.id, attachment!.id));

    await member.addRelatedIssue(issue.id, { targetIssueId: child.id });
    await member.getRelatedIssues(child.id);
    await member.removeRelatedIssue(child.id, issue.id);
  });

  it('filters issues by custom fields', async () => {
    const [text, , number, date, choice, choices] = fields.map(({ id }) => `customField_${id}`);
    const filters: Option.Issue.GetIssuesParams[] = [
      { [text!]: 'A' },
      { [`${number}_min`]: 4, [`${number}_max`]: 4 },
      { [`${date}_min`]: '2026-12-01', [`${date}_max`]: '2026-12-01' },
      { [choice!]: [fields[4]!.items![0]!.id] },
      { [choices!]: fields[5]!.items!.map(({ id }) => id) },
    ];
    for (const filter of filters) {
      const found = await member.getIssues({ projectId: [project.id], ...filter });
      expect(found.map(({ id }) => id)).toEqual([issue.id]);
    }
    expect(await member.getIssuesCount({ [`${number}_min`]: 5 })).toEqual({ count: 0 });
  });

  it('comments on issues', async () => {
    const comment = await member.postIssueComments(issue.id, {
      content: 'Look',
      notifiedUserId: [tested.world.admin.id],
      attachmentId: [await upload('notes.txt', 'notes', member)],
    });
    await member.patchIssueComment(issue.id, comment.id, { content: 'Look here' });
    await member.postStar({ commentId: comment.id });
    await member.getIssueComment(issue.id, comment.id);
    await member.getIssueComments(issue.id, { order: 'asc' });
    await member.getIssueCommentsCount(issue.id);
    await member.getIssueCommentNotifications(issue.id, comment.id);
    const notified = await member.postIssueComments(issue.id, { content: 'And here' });
    await member.postIssueCommentNotifications(issue.id, notified.id, {
      notifiedUserId: [tested.world.admin.id],
    });
    await member.deleteIssueComment(issue.id, notified.id);
  });

  it('watches issues', async () => {
    const watching = await member.postWatchingListItem({ issueIdOrKey: issue.issueKey, note: 'Mine' });
    await admin.patchIssue(issue.id, { summary: 'The engine shook' });
    await member.patchWatchingListItem(watching.id, 'Still mine');
    await member.getWatchingListItem(watching.id);
    await member.getWatchingListItems(person.id, { count: 5 });
    await member.getWatchingListCount(person.id);
    await member.resetWatchingListItemAsRead(watching.id);
    await member.deletehWatchingListItem(watching.id);
  });

  it('writes wiki pages', async () => {
    page = await member.postWiki({ projectId: project.id, name: '[engine] Pumps', content: 'They shake.' });
    await admin.patchWiki(page.id, { content: 'They shook.' });
    const [attached] = await member.postWikisAttachments(page.id, [
      await upload('pump.svg', '<svg/>', member),
    ]);
    await contentOf(await member.getWikiAttachment(page.id, attached!.id));
    await member.linkWikisSharedFiles(page.id, [file.id]);
    await member.getWikisSharedFiles(page.id);
    await member.postStar({ wikiId: page.id });
    await member.getWiki(page.id);
    await member.getWikis({ projectIdOrKey: KEY, keyword: 'shook' });
    await member.getWikisCount(KEY);
    await member.getWikisTags(KEY);
    await member.getWikisHistory(page.id, {});
    await member.getWikisStars(page.id);
    await member.getWikisAttachments(page.id);
  });

  it('writes documents', async () => {
    const document = await member.addDocument({
      projectId: project.id,
      title: 'Flight manual',
      content: '# Start\n\nPush the *button*.',
      emoji: '🚀',
    });
    await member.addDocument({ projectId: project.id, title: 'Landing', parentId: document.id });
    const draft = await member.addDocument({ projectId: project.id, title: 'Draft', parentId: document.id });
    const attachmentId = [await upload('manual.txt', 'the manual', member)];
    await discuss(document.id, attachmentId);
    await contentOf(await member.downloadDocumentAttachment(document.id, attachmentId[0]!));
    await member.getDocument(document.id);
    await member.getDocuments({ projectId: [project.id], offset: 0 });
    await admin.deleteDocument(draft.id);
    await member.getDocumentTree(KEY);
  });

  it('adds, updates, lists and comments on pull requests', async () => {
    await member.getGitRepositories(KEY);
    await member.getGitRepository(KEY, REPOSITORY);
    const attachmentId = [await upload('patch.txt', 'a patch', member)];
    pullRequest = await member.postPullRequest(KEY, REPOSITORY, {
      summary: 'Balance the pump',
      description: 'Half the mass',
      base: 'main',
      branch: 'pump',
      issueId: issue.id,
      assigneeId: tested.world.admin.id,
      notifiedUserId: [tested.world.admin.id],
      attachmentId,
    });
    const { number } = pullRequest;
    await member.patchPullRequest(KEY, REPOSITORY, number, { summary: 'Balance the pumps' });
    const comment = await member.postPullRequestComments(KEY, REPOSITORY, number, {
      content: 'Done',
      notifiedUserId: [tested.world.admin.id],
    });
    await member.patchPullRequestComments(KEY, REPOSITORY, number, comment.id, { content: 'Done, I think' });
    await member.postStar({ pullRequestId: pullRequest.id });
    await member.postStar({ pullRequestCommentId: comment.id });
    await member.patchPullRequest(KEY, REPOSITORY, number, { statusId: 3 } as never);
    const other = { summary: 'Never', description: '', base: 'main', branch: 'never' };
    const closed = await member.postPullRequest(KEY, REPOSITORY, other);
    await member.patchPullRequest(KEY, REPOSITORY, closed.number, { statusId: 2 } as never);
    await member.getPullRequest(KEY, REPOSITORY, number);
    await member.getPullRequests(KEY, REPOSITORY, { issueId: [issue.id] });
    await member.getPullRequestsCount(KEY, REPOSITORY, {});
    await member.getPullRequestComments(KEY, REPOSITORY, number, {});
    await member.getPullRequestCommentsCount(KEY, REPOSITORY, number);
    await member.getPullRequestAttachments(KEY, REPOSITORY, number);
    await contentOf(await member.getPullRequestAttachment(KEY, REPOSITORY, number, attachmentId[0]!));
  });

  it('gives and reads stars', async () => {
    await admin.postStar({ issueId: issue.id });
    const { stars } = await admin.getIssue(issue.id);
    await admin.getUserStars(person.id, {});
    await admin.getUserStarsCount(person.id, { since: '2026-01-01' });
    await admin.removeStar(stars[0]!.id);
  });

  it('reads notifications, recently viewed items and disk usage', async () => {
    const [notification] = await admin.getNotifications({ count: 100 });
    await admin.getNotificationsCount({ alreadyRead: false, resourceAlreadyRead: false });
    await admin.markAsReadNotification(notification!.id);
    await admin.resetNotificationsMarkAsRead();
    await member.getRecentlyViewedIssues({});
    await member.getRecentlyViewedProjects({});
    await member.getRecentlyViewedWikis({});
    await admin.getSpaceDiskUsage();
    await admin.getProjectsDiskUsage(KEY);
  });

  it('manages webhooks', async () => {
    const webhook = await member.postWebhook(KEY, {
      name: 'Chat',
      description: 'For all',
      hookUrl: 'https://chat.example.com/hook',
      activityTypeIds: [1, 2],
    });
    const id = String(webhook.id);
    await member.patchWebhook(KEY, id, { name: 'The chat', allEvent: false });
    await member.getWebhook(KEY, id);
    await member.getWebhooks(KEY);
    await member.deleteWebhook(KEY, id);
  });

  it('deletes and unlinks items, and reads the activities', async () => {
    const { number } = pullRequest;
    const [attachment] = await member.getIssueAttachments(issue.id);
    await member.unlinkIssueSharedFile(issue.id, file.id);
    await member.unlinkWikisSharedFiles(page.id, file.id);
    await member.deleteIssueAttachment(issue.id, String(attachment!.id));
    const [drawing] = await member.getWikisAttachments(page.id);
    await member.deleteWikisAttachments(page.id, drawing!.id);
    const [patch] = await member.getPullRequestAttachments(KEY, REPOSITORY, number);
    // A bug of the client: it expects JSON, but receives the file.
    const deletion = member.deletePullRequestAttachment(KEY, REPOSITORY, number, patch!.id);
    await expect(deletion).rejects.toThrow('is not valid JSON');
    await member.deleteWiki(page.id, false);
    await admin.deleteIssue(issue.id);
    await admin.deleteCustomField(KEY, fields[0]!.id);
    await admin.getProjectActivities(KEY, { count: 100 });
    await admin.getSpaceActivities({ count: 100 });
    await member.getUserActivities(person.id, { count: 100 });
    await admin.deleteProjectTeam(KEY, team.id);
    await admin.deleteTeam(team.id);
    await admin.deleteProjectAdministrators(KEY, { userId: person.id });
    await admin.deleteProjectUsers(KEY, { userId: person.id });
    await admin.deleteProject(KEY);
  });

  it('has called every method, and every documented operation with a method', () => {
    expect(clients.types.methods.filter((method) => !clients.called.has(method))).toEqual([]);
    expect(DOCUMENTED_OPERATIONS.filter((operation) => !clients.operations.has(operation))).toEqual(
      WITHOUT_METHOD,
    );
  });

  it('receives every response as declared, except for known differences', () => {
    const { problems } = clients;
    const isKnown = (difference: Difference, { method, field, kind }: AnswerProblem): boolean =>
      difference.field === field && difference.kind === kind && (difference.of?.includes(method) ?? true);
    const others = problems.filter((problem) => !DIFFERENCES.some((known) => isKnown(known, problem)));
    expect(others.map(({ method, path, kind, field }) => `${method}${path}: ${field} ${kind}`)).toEqual([]);
    expect(DIFFERENCES.filter((known) => !problems.some((problem) => isKnown(known, problem)))).toEqual([]);
  });

  it('has received a value of every field, except those without one', () => {
    const unseen = clients.types.fields().filter((field) => !clients.types.seen.has(field));
    const isExpected = (field: string): boolean => NEVER.some((never) => never.fields.test(field));
    expect(unseen.filter((field) => !isExpected(field))).toEqual([]);
    expect(NEVER.filter(({ fields }) => !unseen.some((field) => fields.test(field)))).toEqual([]);
  });
});
