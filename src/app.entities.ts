import { ActivityText } from './activities/entities/activity-text.entity';
import { Activity } from './activities/entities/activity.entity';
import { Attachment } from './attachments/entities/attachment.entity';
import { AuditLogEntry } from './audit-log/entities/audit-log-entry.entity';
import { CommentThread } from './comments/entities/comment-thread.entity';
import { Comment } from './comments/entities/comment.entity';
import { RemovedThread } from './comments/entities/removed-thread.entity';
import { CustomFieldIssueType } from './custom-fields/entities/custom-field-issue-type.entity';
import { CustomFieldItem } from './custom-fields/entities/custom-field-item.entity';
import { CustomField } from './custom-fields/entities/custom-field.entity';
import { DocumentAttachment } from './documents/entities/document-attachment.entity';
import { DocumentComment } from './documents/entities/document-comment.entity';
import { DocumentTag } from './documents/entities/document-tag.entity';
import { DocumentTagging } from './documents/entities/document-tagging.entity';
import { DocumentTree } from './documents/entities/document-tree.entity';
import { Document } from './documents/entities/document.entity';
import { GitPush } from './git-repositories/entities/git-push.entity';
import { GitRef } from './git-repositories/entities/git-ref.entity';
import { GitRepository } from './git-repositories/entities/git-repository.entity';
import { RemovedGitRepository } from './git-repositories/entities/removed-git-repository.entity';
import { Icon } from './icons/entities/icon.entity';
import { IssueAttachment } from './issues/entities/issue-attachment.entity';
import { IssueCategory } from './issues/entities/issue-category.entity';
import { IssueCommit } from './issues/entities/issue-commit.entity';
import { IssueCustomFieldItem } from './issues/entities/issue-custom-field-item.entity';
import { IssueCustomField } from './issues/entities/issue-custom-field.entity';
import { IssueMilestone } from './issues/entities/issue-milestone.entity';
import { IssueVersion } from './issues/entities/issue-version.entity';
import { IssueSharedFile } from './issues/entities/issue-shared-file.entity';
import { Issue } from './issues/entities/issue.entity';
import { RelatedIssue } from './issues/entities/related-issue.entity';
import { Watching } from './issues/entities/watching.entity';
import { Notification } from './notifications/entities/notification.entity';
import { Category } from './project-settings/entities/category.entity';
import { IssueStatus } from './project-settings/entities/issue-status.entity';
import { IssueType } from './project-settings/entities/issue-type.entity';
import { Version } from './project-settings/entities/version.entity';
import { ProjectCounter } from './projects/entities/project-counter.entity';
import { ProjectMember } from './projects/entities/project-member.entity';
import { Project } from './projects/entities/project.entity';
import { PullRequestAttachment } from './pull-requests/entities/pull-request-attachment.entity';
import { PullRequest } from './pull-requests/entities/pull-request.entity';
import { SearchBlock } from './search-index/entities/search-block.entity';
import { SearchChange } from './search-index/entities/search-change.entity';
import { SearchIndex } from './search-index/entities/search-index.entity';
import { SearchPosting } from './search-index/entities/search-posting.entity';
import { SharedFile } from './shared-files/entities/shared-file.entity';
import { Space } from './space/entities/space.entity';
import { UsedStorage } from './space/entities/used-storage.entity';
import { Star } from './stars/entities/star.entity';
import { ProjectTeam } from './teams/entities/project-team.entity';
import { TeamMember } from './teams/entities/team-member.entity';
import { Team } from './teams/entities/team.entity';
import { ApiKey } from './users/entities/api-key.entity';
import { User } from './users/entities/user.entity';
import { RecentlyViewed } from './views/entities/recently-viewed.entity';
import { WebhookDeliveryAttempt } from './webhooks/delivery/entities/webhook-delivery-attempt.entity';
import { WebhookDelivery } from './webhooks/delivery/entities/webhook-delivery.entity';
import { WebhookEvent } from './webhooks/delivery/entities/webhook-event.entity';
import { WebhookHealth } from './webhooks/delivery/entities/webhook-health.entity';
import { Webhook } from './webhooks/entities/webhook.entity';
import { RemovedWiki } from './wikis/entities/removed-wiki.entity';
import { WikiAttachment } from './wikis/entities/wiki-attachment.entity';
import { WikiSharedFile } from './wikis/entities/wiki-shared-file.entity';
import { WikiTag } from './wikis/entities/wiki-tag.entity';
import { WikiTagging } from './wikis/entities/wiki-tagging.entity';
import { WikiVersion } from './wikis/entities/wiki-version.entity';
import { Wiki } from './wikis/entities/wiki.entity';

/** Every entity of every module; the schema and its migrations are generated from these. */
export const entities = [
  Activity,
  ActivityText,
  ApiKey,
  Attachment,
  AuditLogEntry,
  Category,
  Comment,
  CommentThread,
  CustomField,
  CustomFieldIssueType,
  CustomFieldItem,
  Document,
  DocumentAttachment,
  DocumentComment,
  DocumentTag,
  DocumentTagging,
  DocumentTree,
  GitPush,
  GitRef,
  GitRepository,
  Icon,
  Issue,
  IssueAttachment,
  IssueCategory,
  IssueCommit,
  IssueCustomField,
  IssueCustomFieldItem,
  IssueMilestone,
  IssueSharedFile,
  IssueStatus,
  IssueType,
  IssueVersion,
  Notification,
  Project,
  ProjectCounter,
  ProjectMember,
  ProjectTeam,
  PullRequest,
  PullRequestAttachment,
  RecentlyViewed,
  RelatedIssue,
  RemovedGitRepository,
  RemovedThread,
  RemovedWiki,
  SearchBlock,
  SearchChange,
  SearchIndex,
  SearchPosting,
  SharedFile,
  Space,
  Star,
  Team,
  TeamMember,
  UsedStorage,
  User,
  Version,
  Watching,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryAttempt,
  WebhookEvent,
  WebhookHealth,
  Wiki,
  WikiAttachment,
  WikiSharedFile,
  WikiTag,
  WikiTagging,
  WikiVersion,
];
