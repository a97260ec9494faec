import { type CommentDto } from '../../comments/dto/comment.dto';
import { type UserNotificationDto } from '../../notifications/dto/user-notification.dto';
import { NotificationReason } from '../../notifications/notification-reason';
import { excerptOf, type LetterPart } from '../letters/letter-content';
import { type LetterTexts } from '../letters/letter-texts';

/** What a notification is about, in words. */
export interface NotifiedSubject {
  /** Such as `[DEMO-1] Title`. */
  title: string;
  /** The path of its page. */
  path: string;
  /** What letters about it share; absent for a project itself. */
  thread?: string;
  projectKey?: string;
}

/** The fields of issues, pull requests and documents that letters show. */
interface ShownFields {
  id: number | string;
  issueKey?: string;
  summary?: string;
  number?: number;
  repositoryId?: number;
  title?: string;
  description?: string;
}

/** Maximum number of changes in a letter, and length of their values. */
const MAX_CHANGES = 20;
const MAX_VALUE = 200;

/**
 * Returns what a notification is about; undefined if its subject has been removed.
 * @param text the subject of a notification without a thread
 */
export function subjectOf(notification: UserNotificationDto, text?: string): NotifiedSubject | undefined {
  const { project, reason } = notification;
  if (!project) return undefined;
  const { projectKey } = project;
  const [issue, pullRequest, document] = [
    notification.issue,
    notification.pullRequest,
    notification.document,
  ] as (ShownFields | null)[];
  const anchor = commentOf(notification) ? `#comment-${commentOf(notification)?.id}` : '';
  if (issue) {
    const { id, issueKey, summary } = issue;
    const path = `/view/${issueKey}${anchor}`;
    return { title: `[${issueKey}] ${summary}`, path, thread: `issue-${id}`, projectKey };
  }
  if (pullRequest) {
    const { id, number, repositoryId, summary } = pullRequest;
    const path = `/git/${projectKey}/${repositoryId}/pullRequests/${number}${anchor}`;
    return { title: `[${projectKey} #${number}] ${summary}`, path, thread: `pull-request-${id}`, projectKey };
  }
  if (document) {
    const { id, title } = document;
    const path = `/document/${projectKey}/${id}`;
    return { title: `[${projectKey}] ${title}`, path, thread: `document-${id}`, projectKey };
  }
  const isOfProject = reason === (NotificationReason.ProjectUserAdded as number) || text !== undefined;
  if (!isOfProject) return undefined;
  return { title: `[${projectKey}] ${text ?? project.name}`, path: `/projects/${projectKey}`, projectKey };
}

/** Returns what has happened, in a sentence. */
export function eventOf(texts: LetterTexts, notification: UserNotificationDto, text?: string): string {
  const who = nameOfSender(notification);
  switch (notification.reason as NotificationReason) {
    case NotificationReason.Assigned:
    case NotificationReason.PullRequestAssigned:
      return texts.assigned(who);
    case NotificationReason.IssueCreated:
    case NotificationReason.PullRequestAdded:
      return texts.created(who);
    case NotificationReason.IssueUpdated:
    case NotificationReason.PullRequestUpdated:
    case NotificationReason.FileAttached:
      return texts.updated(who);
    case NotificationReason.ProjectUserAdded:
      return texts.joined(who, notification.project?.name ?? '');
    case NotificationReason.MentionedInDocument:
      return texts.mentioned(who);
    case NotificationReason.DocumentCommentReplied:
      return texts.replied(who);
    case NotificationReason.IssueCommented:
    case NotificationReason.PullRequestCommented:
    case NotificationReason.DocumentCommented:
      return texts.commented(who);
    case NotificationReason.Other:
      return text ?? '';
  }
}

/** Returns the text and the changes of the comment, or of what has been added. */
export function detailsOf(texts: LetterTexts, notification: UserNotificationDto): LetterPart[] {
  const comment = commentOf(notification);
  const changes = (comment?.changeLog ?? [])
    .filter(({ field }) => field !== 'notification')
    .slice(0, MAX_CHANGES)
    .map(
      ({ field, originalValue, newValue }) =>
        `${texts.fieldName(field)}: ${originalValue && `${shortened(originalValue)} `}→ ${shortened(newValue) || '–'}`,
    );
  const added = (notification.issue ?? notification.pullRequest) as ShownFields | null;
  const isNew = [NotificationReason.IssueCreated, NotificationReason.PullRequestAdded].includes(
    notification.reason,
  );
  const content = excerptOf(
    comment?.content ?? plainTextOf(notification) ?? (isNew ? (added?.description ?? '') : ''),
  );
  return [
    ...(changes.length > 0 ? [{ quote: changes.join('\n') }] : []),
    ...(content === '' ? [] : [{ quote: content }]),
  ];
}

/** The name of the user who caused it, and of the agent that acted for them. */
export function nameOfSender(notification: UserNotificationDto): string {
  const agent = commentOf(notification)?.agent;
  return agent ? `${notification.sender.name} (${agent.name})` : notification.sender.name;
}

/** The comment on an issue or a pull request. */
const commentOf = ({ comment, pullRequestComment }: UserNotificationDto): CommentDto | null =>
  (comment ?? pullRequestComment) as CommentDto | null;

/** The text of a comment on a document, which is stored in the form of the editor. */
function plainTextOf({ documentComment, documentCommentReply }: UserNotificationDto): string | undefined {
  const comment: { plain?: string } | null = documentComment ?? documentCommentReply;
  return comment?.plain;
}

const shortened = (value: string): string =>
  value.length > MAX_VALUE ? `${value.slice(0, MAX_VALUE).toWellFormed()}…` : value;
