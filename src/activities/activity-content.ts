import { type UserDto } from '../users/dto/user.dto';
import { type ActivityType } from './activity-type';

/** One change in the content of an activity; values are ids or texts. */
export interface ActivityChange {
  field: string;
  new_value: string;
  old_value: string;
  /** `custom` for a custom field, which is identified by its name. */
  type: 'standard' | 'custom';
}

/** Returns a change that adds something, such as a file. */
export const addition = (field: string, value: string): ActivityChange => ({
  field,
  new_value: value,
  old_value: '',
  type: 'standard',
});

/** Returns the change for an attached file. */
export const attachmentAddition = (file: { name: string }): ActivityChange =>
  addition('attachment', file.name);

/** Returns a change that removes something. */
export const removal = (field: string, value: string): ActivityChange => ({
  field,
  new_value: '',
  old_value: value,
  type: 'standard',
});

/** A resource by its id and name. */
export interface Named {
  id: number;
  name: string;
}

/** A user in activities, frozen with them. */
export type ActivityUser = Pick<UserDto, 'id' | 'userId' | 'name' | 'roleType' | 'lang' | 'mailAddress'>;

export const toActivityUser = ({ id, userId, name, roleType, lang, mailAddress }: UserDto): ActivityUser => ({
  id,
  userId,
  name,
  roleType,
  lang,
  mailAddress,
});

/** Placeholder for a missing named value. */
export interface NoValue {
  id: null;
  name: '';
}

export const NO_VALUE: NoValue = { id: null, name: '' };

interface File extends Named {
  size: number;
}

/** A shared file in activities. */
export interface SharedFileContent extends File {
  /** The folder of the file, with a slash at both ends. */
  dir: string;
}

/** A comment in activities. */
export interface ActivityComment {
  id: number;
  content: string;
}

/** The fields of an issue that most of its activities start with. */
export interface IssueHead {
  id: number;
  key_id: number;
  summary: string;
  description: string;
}

/** An issue type in activities. */
export interface ActivityIssueType extends Named {
  projectId: number;
  color: string;
  displayOrder: number;
}

/** An item of a custom field in activities. */
interface ActivityItem extends Named {
  displayOrder: number;
}

/** The value of a custom field in activities. */
export interface ActivityCustomField extends Named {
  fieldTypeId: number;
  value: string | number | ActivityItem | ActivityItem[] | null;
  otherValue?: string | null;
}

/** The content about a new issue; `valuesOf` in `src/issues/issue-fields.ts` adds its values. */
interface IssueContent extends IssueHead {
  issueType: ActivityIssueType;
  status: Named;
  priority: Named;
  resolution: Named | NoValue;
  assignee: ActivityUser | null;
  category: Named[];
  versions: Named[];
  milestone: Named[];
  customFields: ActivityCustomField[];
  parentIssueId: number | null;
}

interface IssueChangeContent extends IssueHead {
  comment: ActivityComment | null;
  changes: ActivityChange[];
  attachments: File[];
  shared_files: SharedFileContent[];
  external_file_links: never[];
}

interface WikiContent extends Named {
  content: string;
  /** Unified diff of the content. */
  diff: string;
  version: number;
  attachments: File[];
  shared_files: SharedFileContent[];
}

/** One of the issues of an activity. */
export interface LinkedIssue {
  id: number;
  key_id: number;
  title: string;
  comment: null;
}

/** A git repository in activities. */
export interface RepositoryContent extends Named {
  description: string;
}

/** A commit in activities of pushes. */
export interface RevisionContent {
  /** The hash of the commit. */
  rev: string;
  /** The commit message; a long one is truncated. */
  comment: string;
  author: { name: string; mailAddress: string };
  /** The author date. */
  created: string;
}

/** A change of a branch or a tag. */
export interface GitPushContent {
  repository: RepositoryContent;
  change_type: 'create' | 'update' | 'delete';
  revision_type: 'commit' | 'tag';
  /** The full name, such as `refs/heads/main`. */
  ref: string;
  /** For a branch, the number of new commits; for a tag, 1 if it points to a commit, otherwise 0. */
  revision_count: number;
  /** The newest of these commits, newest first. */
  revisions: RevisionContent[];
}

interface PullRequestContent {
  id: number;
  number: number;
  summary: string;
  description: string;
  base: string;
  branch: string;
  diff: null;
  comment: ActivityComment | null;
  changes: ActivityChange[];
  issue: IssueHead | null;
  assignee: ActivityUser | null;
  repository: RepositoryContent;
}

interface MembersContent {
  users: ActivityUser[];
  group_project_activities: never[];
  comment: string;
}

interface TeamsContent {
  parties: Named[];
}

/** A version in activities. */
export interface VersionContent extends Named {
  description: string;
  start_date: string;
  reference_date: string;
}

/** A document in activities. */
interface DocumentContent {
  /** The id in the API. */
  id: string;
  title: string;
}

interface DocumentCommentContent extends DocumentContent {
  /** The content is plain text. */
  comment: { id: string; content: string };
}

/** The content of each activity type, with the fields that webhook receivers of the family know. */
export interface ActivityContents {
  [ActivityType.IssueCreated]: IssueContent;
  [ActivityType.IssueUpdated]: IssueChangeContent;
  [ActivityType.IssueCommented]: IssueChangeContent;
  [ActivityType.IssueDeleted]: { id: number; key_id: number };
  [ActivityType.WikiCreated]: WikiContent;
  [ActivityType.WikiUpdated]: WikiContent;
  [ActivityType.WikiDeleted]: WikiContent;
  [ActivityType.SharedFileAdded]: SharedFileContent;
  [ActivityType.SharedFileUpdated]: SharedFileContent;
  [ActivityType.SharedFileDeleted]: SharedFileContent;
  [ActivityType.GitPushed]: GitPushContent;
  [ActivityType.GitRepositoryCreated]: { repository: RepositoryContent };
  [ActivityType.UserJoinedProject]: MembersContent;
  [ActivityType.UserLeftProject]: MembersContent;
  [ActivityType.CommentNotificationAdded]: IssueChangeContent;
  [ActivityType.PullRequestCreated]: PullRequestContent;
  [ActivityType.PullRequestUpdated]: PullRequestContent;
  [ActivityType.PullRequestCommented]: PullRequestContent;
  [ActivityType.MilestoneCreated]: VersionContent;
  [ActivityType.MilestoneUpdated]: VersionContent & { changes: ActivityChange[] };
  [ActivityType.MilestoneDeleted]: VersionContent;
  [ActivityType.TeamJoinedProject]: TeamsContent;
  [ActivityType.TeamLeftProject]: TeamsContent;
  [ActivityType.StatusDeleted]: {
    deletedStatus: { name: string };
    link: LinkedIssue[];
    change: ActivityChange;
  };
  [ActivityType.DocumentCreated]: DocumentContent;
  [ActivityType.DocumentDeleted]: DocumentContent;
  [ActivityType.DocumentTitleUpdated]: DocumentContent;
  [ActivityType.DocumentUpdated]: DocumentContent;
  [ActivityType.DocumentCommentCreated]: DocumentCommentContent;
  [ActivityType.DocumentCommentUpdated]: DocumentCommentContent;
  [ActivityType.DocumentCommentDeleted]: DocumentCommentContent;
  [ActivityType.DocumentReplyCreated]: DocumentCommentContent;
  [ActivityType.DocumentReplyUpdated]: DocumentCommentContent;
  [ActivityType.DocumentReplyDeleted]: DocumentCommentContent;
  [ActivityType.DocumentAttachmentAdded]: DocumentContent & { attachments: File[] };
}

/** The activities that the service writes. */
export type WrittenActivityType = keyof ActivityContents;
