import { type UserDto } from '../users/dto/user.dto';
import { type ActivityType } from './activity-type';

/** One change in the content of an activity; values are ids or texts. */
export interface ActivityChange {
  field: string;
  new_value: string;
  old_value: string;
  type: 'standard';
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

interface File extends Named {
  size: number;
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

interface IssueContent extends IssueHead {
  issueType: Named;
  status: Named;
  priority: Named;
  resolution: Named | null;
  assignee: ActivityUser | null;
  category: Named[];
  versions: Named[];
  milestone: Named[];
  customFields: never[];
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
  shared_files: never[];
  external_file_links: never[];
}

interface WikiContent extends Named {
  content: string;
}

interface WikiChangeContent extends WikiContent {
  diff: string;
  version: number;
  attachments: File[];
  shared_files: never[];
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

/** A version as activities show it. */
export interface VersionContent extends Named {
  description: string;
  start_date: string;
  reference_date: string;
}

/** The content of each type of activity, in the fields that webhook receivers of the family know. */
export interface ActivityContents {
  [ActivityType.IssueCreated]: IssueContent;
  [ActivityType.IssueUpdated]: IssueChangeContent;
  [ActivityType.IssueCommented]: IssueChangeContent;
  [ActivityType.IssueDeleted]: { id: number; key_id: number };
  [ActivityType.WikiCreated]: WikiContent;
  [ActivityType.WikiUpdated]: WikiChangeContent;
  [ActivityType.WikiDeleted]: WikiContent;
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
  [ActivityType.StatusDeleted]: {
    deletedStatus: { name: string };
    link: LinkedIssue[];
    change: ActivityChange;
  };
}

/** The activities that the service writes. */
export type WrittenActivityType = keyof ActivityContents;
