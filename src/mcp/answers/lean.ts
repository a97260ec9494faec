import { type AttachedFileDto } from '../../attachments/dto/attached-file.dto';
import { type CommentDto } from '../../comments/dto/comment.dto';
import { type IssueDto } from '../../issues/dto/issue.dto';
import { type UserNotificationDto } from '../../notifications/dto/user-notification.dto';
import { NotificationReason } from '../../notifications/notification-reason';
import { type PullRequestDto } from '../../pull-requests/dto/pull-request.dto';
import { type UserDto } from '../../users/dto/user.dto';

/** Lean forms of what the operations return: what a model needs to understand and to act, without icons, colours and repeated objects. */

export const leanUser = ({ id, name }: UserDto): object => ({ id, name });

const nameOf = (one: { name: string } | null): string | undefined => one?.name;
const namesOf = (some: readonly { name: string }[]): string[] => some.map(({ name }) => name);

const leanFile = ({ id, name, size }: AttachedFileDto): object => ({ id, name, size });

/** What `leanIssue` reads, for the parameter `fields`. */
export const LEAN_ISSUE_FIELDS =
  'issueKey,summary,status.name,issueType.name,priority.name,assignee.name,dueDate,updated';

/** Returns an issue as lists show it. */
export const leanIssue = (issue: IssueDto): object => ({
  issueKey: issue.issueKey,
  summary: issue.summary,
  status: issue.status.name,
  issueType: issue.issueType.name,
  priority: issue.priority.name,
  assignee: nameOf(issue.assignee),
  dueDate: issue.dueDate,
  updated: issue.updated,
});

/** Returns a whole issue, but for its description. */
export const wholeIssue = (issue: IssueDto): object => ({
  id: issue.id,
  ...leanIssue(issue),
  resolution: nameOf(issue.resolution),
  category: namesOf(issue.category),
  versions: namesOf(issue.versions),
  milestone: namesOf(issue.milestone),
  startDate: issue.startDate,
  estimatedHours: issue.estimatedHours,
  actualHours: issue.actualHours,
  parentIssueId: issue.parentIssueId,
  customFields: issue.customFields.map(({ id, name, value }) => ({ id, name, value })),
  attachments: issue.attachments.map(leanFile),
  createdUser: issue.createdUser.name,
  created: issue.created,
});

/** Returns a comment with the changes that it records. */
export const leanComment = ({ id, content, changeLog, createdUser, agent, created }: CommentDto): object => ({
  id,
  createdUser: createdUser.name,
  agent: agent?.name,
  created,
  content,
  changes: changeLog
    .filter(({ field }) => field !== 'notification')
    .map(({ field, originalValue, newValue }) => `${field}: ${originalValue || '–'} → ${newValue || '–'}`),
});

/** Returns a pull request as lists show it. */
export const leanPullRequest = (pull: PullRequestDto): object => ({
  number: pull.number,
  summary: pull.summary,
  status: pull.status.name,
  branch: pull.branch,
  base: pull.base,
  assignee: nameOf(pull.assignee),
  createdUser: pull.createdUser.name,
  updated: pull.updated,
});

/** Returns a whole pull request, but for its description. */
export const wholePullRequest = (pull: PullRequestDto): object => ({
  ...leanPullRequest(pull),
  issueKey: pull.issue?.issueKey,
  baseCommit: pull.baseCommit,
  branchCommit: pull.branchCommit,
  mergeCommit: pull.mergeCommit,
  attachments: pull.attachments.map(leanFile),
  created: pull.created,
});

/** The subjects of notifications, with the fields that name them. */
type Subject = Partial<Record<'issueKey' | 'summary' | 'title' | 'content' | 'plain', string>> & {
  number?: number;
  id: number | string;
};

/** Returns a notification. */
export function leanNotification(notification: UserNotificationDto): object {
  const { id, alreadyRead, reason, project, sender, created } = notification;
  const [issue, pullRequest, document] = [
    notification.issue,
    notification.pullRequest,
    notification.document,
  ] as (Subject | null)[];
  const comment = (notification.comment ??
    notification.pullRequestComment ??
    notification.documentCommentReply ??
    notification.documentComment) as Subject | null;
  return {
    id,
    alreadyRead,
    reason: NotificationReason[reason],
    project: project?.projectKey,
    issueKey: issue?.issueKey,
    pullRequest: pullRequest?.number,
    document: document?.id,
    summary: issue?.summary ?? pullRequest?.summary ?? document?.title,
    comment: comment?.plain ?? comment?.content,
    sender: sender.name,
    created,
  };
}
