import { type ChangeLogEntry } from '../comments/change-log';
import { type KeptFile } from './spool/spool';

/**
 * What a source yields, of whatever tracker: the archive's records are made of it in one place (`archive-builder.ts`). Ids are those of the
 * source, or `ArchiveBuilder.newId()` where it has none. Times are milliseconds since 1970, days `yyyy-MM-dd`.
 */

export interface SourceAuthored {
  createdUserId: number;
  created: number;
}

export interface SourceEdited extends SourceAuthored {
  updatedUserId: number;
  updated: number;
}

export interface SourceUser {
  id: number;
  userId: string;
  name: string;
  roleType: number;
  lang: string;
  mailAddress: string;
  vendor?: { id: string; name: string; uniqueId: string };
  /** Whether the user is known only as an author. */
  isGone: boolean;
}

export interface SourceTeam extends SourceEdited {
  id: number;
  name: string;
  displayOrder: number;
  memberIds: readonly number[];
}

/** The settings of a project that are numbers, texts or switches. */
export interface SourceProject {
  id: number;
  projectKey: string;
  name: string;
  chartEnabled: boolean;
  useResolvedForChart: boolean;
  subtaskingEnabled: boolean;
  grandchildIssueEnabled: boolean;
  projectLeaderCanEditProjectLeader: boolean;
  useWiki: boolean;
  useDocument: boolean;
  useFileSharing: boolean;
  useWikiTreeView: boolean;
  useSubversion: boolean;
  useGit: boolean;
  useOriginalImageSizeAtWiki: boolean;
  useDevAttributes: boolean;
  textFormattingRule: 'backlog' | 'markdown';
  archived: boolean;
  displayOrder: number;
}

export interface SourceMember {
  userId: number;
  isAdministrator: boolean;
  /** Whether the user is a member not only through teams. */
  isDirect: boolean;
}

/** An issue type, status, category or version. */
export interface SourceSetting {
  id: number;
  projectId: number;
  name: string;
  displayOrder: number;
}

export interface SourceIssueType extends SourceSetting {
  color: string;
  templateSummary: string | null;
  templateDescription: string | null;
}

/** 1 to 4 are the ids of Open, In Progress, Resolved and Closed in every project. */
export interface SourceStatus extends SourceSetting {
  color: string;
}

export interface SourceVersion extends SourceSetting {
  description: string;
  startDate: string | null;
  releaseDueDate: string | null;
  archived: boolean;
}

export interface SourceCustomField {
  id: number;
  projectId: number;
  typeId: number;
  name: string;
  description: string;
  required: boolean;
  displayOrder: number;
  version: number;
  settings: object;
  issueTypeIds: readonly number[];
  items: readonly { id: number; name: string; displayOrder: number }[];
}

export interface SourceWebhook extends SourceEdited {
  id: number;
  projectId: number;
  name: string;
  description: string;
  hookUrl: string;
  allEvent: boolean;
  isEnabled: boolean;
  activityTypeIds: readonly number[];
}

/** Which of a source's files an id belongs to: some sources number those of each kind separately. */
export type FileSpace = 'issue' | 'wiki' | 'pullRequest' | 'document';

export interface SourceFile extends SourceAuthored {
  /** Undefined where the source has none. */
  id?: number;
  name: string;
  content: KeptFile;
}

export interface SourceStar {
  id: number;
  comment: string;
  title: string;
  presenterId: number;
  created: number;
}

export interface SourceNotification {
  id: number;
  userId: number;
  reason: number;
  alreadyRead: boolean;
  resourceAlreadyRead: boolean;
}

export interface SourceComment extends SourceAuthored {
  id: number;
  content: string;
  changeLog: readonly ChangeLogEntry[];
  updated: number;
  stars: readonly SourceStar[];
  notifications: readonly SourceNotification[];
}

export interface SourceCustomValue {
  customFieldId: number;
  text: string | null;
  number: number | null;
  date: string | null;
  other: string | null;
  itemIds: readonly number[];
}

export interface SourceIssue extends SourceEdited {
  id: number;
  projectId: number;
  keyId: number;
  issueTypeId: number;
  /** As in `SourceStatus`. */
  statusId: number;
  priorityId: number;
  resolutionId: number | null;
  assigneeId: number | null;
  parentIssueId: number | null;
  summary: string;
  description: string;
  startDate: string | null;
  dueDate: string | null;
  estimatedHours: number | null;
  actualHours: number | null;
  categoryIds: readonly number[];
  versionIds: readonly number[];
  milestoneIds: readonly number[];
  customValues: readonly SourceCustomValue[];
  files: readonly SourceFile[];
  sharedFileIds: readonly number[];
  stars: readonly SourceStar[];
}

export interface SourceWatching {
  id: number;
  userId: number;
  issueId: number;
  note: string;
  resourceAlreadyRead: boolean;
  created: number;
  updated: number;
}

/** A folder or file that is shared in a project; folders come before what is in them. */
export interface SourceSharedFile extends SourceEdited {
  id: number;
  projectId: number;
  /** The path of its folder, with a slash at both ends. */
  dir: string;
  name: string;
  /** Undefined for a folder. */
  content?: KeptFile;
}

export interface SourceWikiVersion extends SourceAuthored {
  version: number;
  name: string;
  content: string;
}

export interface SourceWiki extends SourceEdited {
  id: number;
  projectId: number;
  name: string;
  content: string;
  tags: readonly { id: number; name: string }[];
  files: readonly SourceFile[];
  sharedFileIds: readonly number[];
  stars: readonly SourceStar[];
}

export interface SourceDocumentComment extends SourceAuthored {
  uid: string;
  /** The comment that it replies to. */
  parentUid: string | null;
  json: string;
  plain: string;
  updated: number;
}

export interface SourceDocument extends SourceEdited {
  uid: string;
  projectId: number;
  parentUid: string | null;
  depth: number;
  position: number;
  title: string;
  emoji: string | null;
  json: string;
  plain: string;
  isTrashed: boolean;
  tags: readonly { id: number; name: string }[];
  files: readonly SourceFile[];
}

export interface SourceRepository extends SourceEdited {
  id: number;
  projectId: number;
  name: string;
  description: string;
  displayOrder: number;
  pushedAt: number | null;
  defaultBranch?: string;
  protectsDefaultBranch: boolean;
}

export interface SourcePullRequest extends SourceEdited {
  id: number;
  projectId: number;
  repositoryId: number;
  number: number;
  summary: string;
  description: string;
  base: string;
  branch: string;
  statusId: number;
  assigneeId: number | null;
  issueId: number | null;
  baseCommit: string | null;
  branchCommit: string | null;
  mergeCommit: string | null;
  closeAt: number | null;
  mergeAt: number | null;
  files: readonly SourceFile[];
  stars: readonly SourceStar[];
}

export interface SourceActivity extends SourceAuthored {
  id: number;
  projectId: number;
  type: number;
  content: object;
}
