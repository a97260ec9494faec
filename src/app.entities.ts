import { ActivityText } from './activities/entities/activity-text.entity';
import { Activity } from './activities/entities/activity.entity';
import { Attachment } from './attachments/entities/attachment.entity';
import { AuditLogEntry } from './audit-log/entities/audit-log-entry.entity';
import { CommentThread } from './comments/entities/comment-thread.entity';
import { Comment } from './comments/entities/comment.entity';
import { RemovedThread } from './comments/entities/removed-thread.entity';
import { Icon } from './icons/entities/icon.entity';
import { type EntityClass } from './manifest';
import { MANIFESTS } from './manifests';
import { Notification } from './notifications/entities/notification.entity';
import { ProjectCounter } from './projects/entities/project-counter.entity';
import { ProjectMember } from './projects/entities/project-member.entity';
import { Project } from './projects/entities/project.entity';
import { SearchBlock } from './search-index/entities/search-block.entity';
import { SearchChange } from './search-index/entities/search-change.entity';
import { SearchIndex } from './search-index/entities/search-index.entity';
import { SearchPosting } from './search-index/entities/search-posting.entity';
import { Space } from './space/entities/space.entity';
import { UsedStorage } from './space/entities/used-storage.entity';
import { Star } from './stars/entities/star.entity';
import { AgentRecord } from './users/entities/agent.entity';
import { ApiKey } from './users/entities/api-key.entity';
import { User } from './users/entities/user.entity';
import { RecentlyViewed } from './views/entities/recently-viewed.entity';

/** Every entity of every module, by name; the schema and its migrations are generated from these. Features declare theirs in manifests. */
export const entities: EntityClass[] = [
  Activity,
  ActivityText,
  AgentRecord,
  ApiKey,
  Attachment,
  AuditLogEntry,
  Comment,
  CommentThread,
  Icon,
  Notification,
  Project,
  ProjectCounter,
  ProjectMember,
  RecentlyViewed,
  RemovedThread,
  SearchBlock,
  SearchChange,
  SearchIndex,
  SearchPosting,
  Space,
  Star,
  UsedStorage,
  User,
  ...MANIFESTS.flatMap((manifest) => [...(manifest.entities ?? []), ...(manifest.disposable ?? [])]),
].sort((one, other) => (one.name < other.name ? -1 : 1));
