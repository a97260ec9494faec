import { type CallerName } from './callers';
import { WORDS } from './seeding/issues';

/** One way to ask for a list. */
export interface List {
  /** The `operationId`. */
  operation: string;
  /** What to ask for; a name in braces stands for what was seeded, as in the operation's path. */
  query: string;
  caller: CallerName;
  /** Another value than usual for a parameter of the path. */
  path: Readonly<Record<string, string>>;
  /** Nothing that the caller may see is to be found. */
  isEmpty: boolean;
}

const list = (operation: string, query = '', rest: Partial<List> = {}): List => ({
  operation,
  query,
  caller: 'administrator',
  path: {},
  isEmpty: false,
  ...rest,
});

const one = { caller: 'memberOfOne' } as const;
const ten = { caller: 'memberOfTen' } as const;
const empty = { isEmpty: true } as const;
const stranger = { path: { userId: '{strangerId}' } } as const;

const FIRST_DAYS = '2026-01-10';
const FIRST_WEEKS = '2026-02-10';
const LAST_DAYS = '2026-10-18';

/** Every list and count of the service, in the ways that are read differently. */
export const LISTS: readonly List[] = [
  list('listIssues'),
  list('listIssues', '', one),
  list('listIssues', '', ten),
  list('listIssues', 'order=asc', ten),
  list('listIssues', 'projectId[]={projectId}'),
  list('listIssues', 'projectId[]={projectId}', ten),
  list('listIssues', 'count=100'),
  list('listIssues', 'offset=900'),
  list('listIssues', 'offset={middleIssueOffset}'),
  list('listIssues', 'statusId[]=1'),
  list('listIssues', 'statusId[]=1', ten),
  list('listIssues', 'issueTypeId[]={issueTypeId}'),
  list('listIssues', 'categoryId[]={categoryId}'),
  list('listIssues', 'versionId[]={versionId}'),
  list('listIssues', 'milestoneId[]={versionId}'),
  list('listIssues', 'priorityId[]=2'),
  list('listIssues', 'resolutionId[]=0'),
  list('listIssues', 'assigneeId[]={userId}'),
  list('listIssues', 'assigneeId[]={userId}', ten),
  list('listIssues', 'assigneeId[]={userId}&statusId[]=4'),
  list('listIssues', 'createdUserId[]={userId}'),
  list('listIssues', 'parentIssueId[]={parentIssueId}'),
  list('listIssues', 'parentChild=1'),
  list('listIssues', 'parentChild=2'),
  list('listIssues', 'parentChild=3'),
  list('listIssues', 'parentChild=4'),
  list('listIssues', 'attachment=true'),
  list('listIssues', `createdSince=${LAST_DAYS}`),
  list('listIssues', `createdUntil=${FIRST_DAYS}`),
  list('listIssues', `updatedSince=${LAST_DAYS}`),
  list('listIssues', `startDateSince=${LAST_DAYS}`),
  list('listIssues', `dueDateUntil=${FIRST_WEEKS}`),
  list('listIssues', 'hasDueDate=false'),
  list('listIssues', 'keyword=page'),
  list('listIssues', 'keyword=page', one),
  list('listIssues', `keyword=${WORDS.rareInSummaries}`),
  list('listIssues', `keyword=${WORDS.rareInComments}`),
  list('listIssues', 'keyword=nowhere', empty),
  list('listIssues', 'keyword=nowhere', { ...one, ...empty }),
  list('listIssues', 'sort=updated'),
  list('listIssues', 'sort=updated', one),
  list('listIssues', 'sort=updated', ten),
  list('listIssues', 'sort=dueDate'),
  list('listIssues', 'sort=dueDate', one),
  list('listIssues', 'sort=dueDate', ten),
  list('listIssues', 'sort=dueDate&projectId[]={projectId}'),
  list('listIssues', 'sort=startDate'),
  list('listIssues', 'sort=summary'),
  list('listIssues', 'sort=issueType'),
  list('listIssues', 'sort=status'),
  list('listIssues', 'sort=priority'),
  list('listIssues', 'sort=category'),
  list('listIssues', 'sort=version'),
  list('listIssues', 'sort=milestone'),
  list('listIssues', 'sort=assignee'),
  list('listIssues', 'sort=createdUser'),
  list('listIssues', 'sort=updatedUser'),
  list('listIssues', 'sort=estimatedHours'),
  list('listIssues', 'sort=actualHours'),
  list('listIssues', 'sort=attachment'),
  list('listIssues', 'sort=childIssue'),
  list('listIssues', 'expand[]=childIssueSummary'),
  list('countIssues'),
  list('countIssues', '', one),
  list('countIssues', '', ten),
  list('countIssues', 'projectId[]={projectId}'),
  list('countIssues', 'statusId[]=1'),
  list('countIssues', 'assigneeId[]={userId}'),
  list('countIssues', `createdSince=${LAST_DAYS}`),
  list('countIssues', `keyword=${WORDS.rareInSummaries}`),

  list('listIssueComments'),
  list('listIssueComments', '', one),
  list('listIssueComments', 'order=asc'),
  list('listIssueComments', 'minId={middleCommentId}&order=asc'),
  list('listIssueComments', 'maxId={middleCommentId}'),
  list('countIssueComments'),
  list('listIssueCommentNotifications'),
  list('listIssueParticipants'),
  list('listIssueAttachments'),

  list('listSpaceActivities'),
  list('listSpaceActivities', '', one),
  list('listSpaceActivities', '', ten),
  list('listSpaceActivities', 'activityTypeId[]=1'),
  list('listSpaceActivities', 'activityTypeId[]=22'),
  list('listSpaceActivities', 'activityTypeId[]=22', one),
  list('listSpaceActivities', 'activityTypeId[]=22', ten),
  list('listSpaceActivities', 'activityTypeId[]=7', empty),
  list('listSpaceActivities', 'maxId={middleActivityId}'),
  list('listSpaceActivities', 'maxId={middleActivityId}', ten),
  list('listProjectActivities'),
  list('listProjectActivities', 'activityTypeId[]=1'),
  list('listProjectActivities', 'activityTypeId[]=22'),
  list('listProjectActivities', 'activityTypeId[]=7', empty),
  list('listProjectActivities', 'maxId={middleActivityId}'),
  list('listUserActivities'),
  list('listUserActivities', '', one),
  list('listUserActivities', '', ten),
  list('listUserActivities', 'activityTypeId[]=22'),
  list('listUserActivities', '', { ...one, ...empty, ...stranger }),
  list('listUserActivities', '', { ...ten, ...empty, ...stranger }),

  list('listNotifications', '', ten),
  list('listNotifications', 'order=asc', ten),
  list('listNotifications', 'senderId={userId}', ten),
  list('countNotifications', '', ten),
  list('countNotifications', 'alreadyRead=false', ten),
  list('countNotifications', 'resourceAlreadyRead=false', ten),

  list('listWikis', 'projectIdOrKey={projectIdOrKey}'),
  list('listWikis', 'projectIdOrKey={projectIdOrKey}&keyword=Page', one),
  list('listWikis', 'projectIdOrKey={projectIdOrKey}&keyword=nowhere', empty),
  list('countWikis', 'projectIdOrKey={projectIdOrKey}'),
  list('listWikiTags', 'projectIdOrKey={projectIdOrKey}'),
  list('listWikiHistory'),
  list('listWikiHistory', 'order=asc'),
  list('listWikiStars'),
  list('listWikiAttachments'),

  list('listGitRepositories'),
  list('listPullRequests'),
  list('listPullRequests', '', one),
  list('listPullRequests', 'offset=40'),
  list('listPullRequests', 'statusId[]=1'),
  list('listPullRequests', 'assigneeId[]={userId}'),
  list('listPullRequests', 'issueId[]={issueId}'),
  list('listPullRequests', 'createdUserId[]={userId}'),
  list('countPullRequests'),
  list('countPullRequests', 'statusId[]=1'),
  list('listPullRequestComments'),
  list('countPullRequestComments'),
  list('listPullRequestAttachments'),

  list('listProjects', 'all=true'),
  list('listProjects', '', ten),
  list('listProjectUsers'),
  list('listProjectAdministrators'),
  list('listIssueTypes'),
  list('listStatuses'),
  list('listCategories'),
  list('listVersions'),
  list('listWebhooks'),
  list('listWebhookDeliveries'),
  list('listWebhookDeliveries', 'state=failed'),
  list('listUsers'),
  list('listApiKeys', '', { path: { userId: '{memberId}' } }),
  list('listPriorities'),
  list('listResolutions'),
];
