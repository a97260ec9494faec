import { type ChangeLogEntry } from '../comments/change-log';

/** The fields that an export shows of the records of an archive (`docs/format.schema.json`). Times are milliseconds since 1970. */
interface EditedRecord {
  id: number;
  createdUserId: number;
  created: number;
  updatedUserId: number;
  updated: number;
}

export interface User {
  userId: string;
  name: string;
}

export interface Project {
  id: number;
  projectKey: string;
  name: string;
  textFormattingRule: string;
  archived: boolean;
}

export interface Attachment {
  id: number;
  name: string;
  size: number;
  createdUserId: number;
  created: number;
}

export interface GitRepository {
  id: number;
  name: string;
}

export interface CustomField {
  id: number;
  typeId: number;
  name: string;
  description: string;
  required: boolean;
}

export interface CustomFieldItem {
  id: number;
  customFieldId: number;
  name: string;
}

export interface IssueCustomField {
  customFieldId: number;
  textValue: string | null;
  /** In ten-thousandths. */
  numberValue: number | null;
  dateValue: string | null;
  otherValue: string | null;
}

export interface Issue extends EditedRecord {
  keyId: number;
  threadId: number;
  issueTypeId: number;
  statusId: number;
  priorityId: number;
  resolutionId: number | null;
  assigneeId: number | null;
  parentIssueId: number | null;
  summary: string;
  description: string;
  startDate: string | null;
  dueDate: string | null;
  /** In hundredths. */
  estimatedHours: number | null;
  actualHours: number | null;
}

export interface PullRequest extends EditedRecord {
  repositoryId: number;
  number: number;
  threadId: number;
  summary: string;
  description: string;
  base: string;
  branch: string;
  statusId: number;
  assigneeId: number | null;
  issueId: number | null;
  closeAt: number | null;
  mergeAt: number | null;
  baseCommit: string | null;
  branchCommit: string | null;
  mergeCommit: string | null;
}

export interface Wiki extends EditedRecord {
  threadId: number;
  name: string;
  content: string;
}

export interface Document extends EditedRecord {
  uid: string;
  threadId: number;
  title: string;
  emoji: string | null;
  json: string;
  plain: string;
  /** When it is removed from the trash; null for a document that is not there. */
  removalDue: number | null;
}

export interface SharedFile extends EditedRecord {
  dir: string;
  name: string;
  size: number | null;
  /** Null for a folder. */
  attachmentId: number | null;
}

export interface Comment {
  id: number;
  content: string;
  changeLog: readonly ChangeLogEntry[];
  createdUserId: number;
  created: number;
  updated: number;
}

export interface DocumentComment {
  json: string;
}
