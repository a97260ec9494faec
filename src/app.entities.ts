import { ActivityText } from './activities/entities/activity-text.entity';
import { Activity } from './activities/entities/activity.entity';
import { Attachment } from './attachments/entities/attachment.entity';
import { CommentThread } from './comments/entities/comment-thread.entity';
import { Comment } from './comments/entities/comment.entity';
import { Notification } from './comments/entities/notification.entity';
import { RemovedThread } from './comments/entities/removed-thread.entity';
import { Star } from './comments/entities/star.entity';
import { GitRepository } from './git-repositories/entities/git-repository.entity';
import { IssueAttachment } from './issues/entities/issue-attachment.entity';
import { IssueCategory } from './issues/entities/issue-category.entity';
import { IssueMilestone } from './issues/entities/issue-milestone.entity';
import { IssueVersion } from './issues/entities/issue-version.entity';
import { Issue } from './issues/entities/issue.entity';
import { Category } from './project-settings/entities/category.entity';
import { IssueStatus } from './project-settings/entities/issue-status.entity';
import { IssueType } from './project-settings/entities/issue-type.entity';
import { Version } from './project-settings/entities/version.entity';
import { ProjectCounter } from './projects/entities/project-counter.entity';
import { ProjectMember } from './projects/entities/project-member.entity';
import { Project } from './projects/entities/project.entity';
import { PullRequestAttachment } from './pull-requests/entities/pull-request-attachment.entity';
import { PullRequest } from './pull-requests/entities/pull-request.entity';
import { Space } from './space/entities/space.entity';
import { ApiKey } from './users/entities/api-key.entity';
import { User } from './users/entities/user.entity';
import { WebhookDeliveryAttempt } from './webhooks/delivery/entities/webhook-delivery-attempt.entity';
import { WebhookDelivery } from './webhooks/delivery/entities/webhook-delivery.entity';
import { WebhookEvent } from './webhooks/delivery/entities/webhook-event.entity';
import { WebhookHealth } from './webhooks/delivery/entities/webhook-health.entity';
import { Webhook } from './webhooks/entities/webhook.entity';
import { RemovedWiki } from './wikis/entities/removed-wiki.entity';
import { WikiAttachment } from './wikis/entities/wiki-attachment.entity';
import { WikiTag } from './wikis/entities/wiki-tag.entity';
import { WikiTagging } from './wikis/entities/wiki-tagging.entity';
import { WikiVersion } from './wikis/entities/wiki-version.entity';
import { Wiki } from './wikis/entities/wiki.entity';

/** Every entity of every module; the schema and its migrations are made from these. */
export const entities = [
  Activity,
  ActivityText,
  ApiKey,
  Attachment,
  Category,
  Comment,
  CommentThread,
  GitRepository,
  Issue,
  IssueAttachment,
  IssueCategory,
  IssueMilestone,
  IssueStatus,
  IssueType,
  IssueVersion,
  Notification,
  Project,
  ProjectCounter,
  ProjectMember,
  PullRequest,
  PullRequestAttachment,
  RemovedThread,
  RemovedWiki,
  Space,
  Star,
  User,
  Version,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryAttempt,
  WebhookEvent,
  WebhookHealth,
  Wiki,
  WikiAttachment,
  WikiTag,
  WikiTagging,
  WikiVersion,
];
