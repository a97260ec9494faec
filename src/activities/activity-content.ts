import { type UserDto } from '../users/dto/user.dto';
import { type ActivityType } from './activity-type';

/** One change in the content of an activity; values are ids or texts. */
export interface ActivityChange {
  field: string;
  new_value: string;
  old_value: string;
  /** Custom: of a custom field, by its name. */
  type: 'standard' | 'custom';
}

/** A change that adds something, such as a file. */
export const addition = (field: string, value: string): ActivityChange => ({
  field,
  new_value: value,
  old_value: '',
  type: 'standard',
});

/** The change that attaching a file is. */
export const attachmentAddition = (file: { name: string }): ActivityChange =>
  addition('attachment', file.name);

/** A change that removes something. */
export const removal = (field: string, value: string): ActivityChange => ({
  field,
  new_value: '',
  old_value: value,
  type: 'standard',
});

/** Something by its id and name. */
export interface Named {
  id: number;
  name: string;
}

/** A user as activities show it, frozen with them. */
export type ActivityUser = Pick<UserDto, 'id' | 'userId' | 'name' | 'roleType' | 'lang' | 'mailAddress'>;

export const toActivityUser = ({ id, userId, name, roleType, lang, mailAddress }: UserDto): ActivityUser => ({
  id,
  userId,
  name,
  roleType,
  lang,
  mailAddress,
});

/** In the place of something with a name where there is none. */
export interface NoValue {
  id: null;
  name: '';
}

export const NO_VALUE: NoValue = { id: null, name: '' };

interface File extends Named {
  size: number;
}

/** A shared file as activities show it. */
export interface SharedFileContent extends File {
  /** The folder that it is in, with a slash at both ends. */
  dir: string;
}

/** A comment as activities show it. */
export interface ActivityComment {
  id: number;
  content: string;
}

/** An issue in the fields that most of its activities start with. */
export interface IssueHead {
  id: number;
  key_id: number;
  summary: string;
  description: string;
}

/** An issue type as activities show it. */
export interface ActivityIssueType extends Named {
  projectId: number;
  color: string;
  displayOrder: number;
}

/** An item of a custom field as activities show it. */
interface ActivityItem extends Named {
  displayOrder: number;
}

/** The value of a custom field as activities show it. */
export interface ActivityCustomField extends Named {
  fieldTypeId: number;
  value: string | number | ActivityItem | ActivityItem[] | null;
  otherValue?: string | null;
}

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
  /** `yyyy-MM-dd` or `''`, as is `dueDate`. */
  startDate: string;
  dueDate: string;
  estimatedHours: number | null;
  actualHours: number | null;
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
  /** Of the content, as a unified diff. */
  diff: string;
  version: number;
  attachments: File[];
  shared_files: SharedFileContent[];
}

/** One of many issues that an activity is about. */
export interface LinkedIssue {
  id: number;
  key_id: number;
  title: string;
  comment: null;
}

/** A git repository as activities show it. */
export interface RepositoryContent extends Named {
  description: string;
}

/** A commit as activities about pushes show it. */
export interface RevisionContent {
  /** The hash of the commit. */
  rev: string;
  /** Its message; a long one is cut. */
  comment: string;
  author: { name: string; mailAddress: string };
  /** When the author has made it. */
  created: string;
}

/** A change of a branch or a tag. */
export interface GitPushContent {
  repository: RepositoryContent;
  change_type: 'create' | 'update' | 'delete';
  revision_type: 'commit' | 'tag';
  /** The whole name, such as `refs/heads/main`. */
  ref: string;
  /** The number of commits that have come to a branch; of a tag, whether it leads to a commit. */
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

/** A version as activities show it. */
export interface VersionContent extends Named {
  description: string;
  start_date: string;
  reference_date: string;
}

/** A document as activities show it. */
interface DocumentContent {
  /** Its id on the wire. */
  id: string;
  title: string;
}

interface DocumentCommentContent extends DocumentContent {
  /** Without formatting. */
  comment: { id: string; content: string };
}

/** The content of each type of activity, in the fields that webhook receivers of the family know. */
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
