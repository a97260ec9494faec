import { type IssueHead } from '../activities/activity-content';
import { type AttachedFileDto } from '../attachments/dto/attached-file.dto';
import { type StarDto } from '../comments/dto/comment.dto';
import { toHours } from '../database/columns';
import { columnsOf } from '../database/statements';
import { toDate } from '../http/request/date';
import { toTimestamp } from '../http/request/timestamp';
import { type CategoryDto } from '../project-settings/dto/category.dto';
import { type IssueTypeDto } from '../project-settings/dto/issue-type.dto';
import { type StatusDto } from '../project-settings/dto/status.dto';
import { type VersionDto } from '../project-settings/dto/version.dto';
import { priorityOf } from '../project-settings/priorities';
import { resolutionOf } from '../project-settings/resolutions';
import { type UserDto } from '../users/dto/user.dto';
import { type ChildIssueSummaryDto, type IssueDto } from './dto/issue.dto';
import { ROW_FIELDS, type RowState } from './changes/issue-state';

/** An issue as read from the database; hours are whole hundredths. */
export interface IssueRow extends RowState {
  id: number;
  projectId: number;
  projectKey: string;
  keyId: number;
  threadId: number;
  createdUserId: number;
  created: number;
  updatedUserId: number;
  updated: number;
}

const OWN_COLUMNS = columnsOf('i', [
  'id',
  'projectId',
  'keyId',
  'threadId',
  ...ROW_FIELDS,
  'createdUserId',
  'created',
  'updatedUserId',
  'updated',
]);

/** The columns of `IssueRow`, of an issue `i` and its project `p`. */
export const ISSUE_COLUMNS = `${OWN_COLUMNS}, p.project_key AS projectKey`;

/** What an issue's answer is made of besides its own row. Every id that the row names has its entry. */
export interface IssueParts {
  issueTypes: ReadonlyMap<number, IssueTypeDto>;
  statuses: ReadonlyMap<number, StatusDto>;
  users: ReadonlyMap<number, UserDto>;
  category: CategoryDto[];
  versions: VersionDto[];
  milestone: VersionDto[];
  attachments: AttachedFileDto[];
  stars: StarDto[];
  childIssueSummary?: ChildIssueSummaryDto;
}

/** The path at which people look at an issue. */
export const issuePath = (issueKey: string): string => `/view/${issueKey}`;

export const toIssueKey = ({ projectKey, keyId }: Pick<IssueRow, 'projectKey' | 'keyId'>): string =>
  `${projectKey}-${keyId}`;

/** An issue as most of its activities start. */
export const toIssueHead = (
  issue: Pick<IssueRow, 'id' | 'keyId' | 'summary' | 'description'>,
): IssueHead => ({
  id: issue.id,
  key_id: issue.keyId,
  summary: issue.summary,
  description: issue.description,
});

/** An issue as the wire shows it. */
export const toIssueDto = (row: IssueRow, parts: IssueParts): IssueDto => ({
  id: row.id,
  projectId: row.projectId,
  issueKey: toIssueKey(row),
  keyId: row.keyId,
  issueType: parts.issueTypes.get(row.issueTypeId) as IssueTypeDto,
  summary: row.summary,
  description: row.description,
  resolution: resolutionOf(row.resolutionId),
  priority: priorityOf(row.priorityId),
  status: parts.statuses.get(row.statusId) as StatusDto,
  assignee: row.assigneeId === null ? null : (parts.users.get(row.assigneeId) as UserDto),
  category: parts.category,
  versions: parts.versions,
  milestone: parts.milestone,
  startDate: toDate(row.startDate),
  dueDate: toDate(row.dueDate),
  estimatedHours: toHours(row.estimatedHours),
  actualHours: toHours(row.actualHours),
  parentIssueId: row.parentIssueId,
  createdUser: parts.users.get(row.createdUserId) as UserDto,
  created: toTimestamp(row.created),
  updatedUser: parts.users.get(row.updatedUserId) as UserDto,
  updated: toTimestamp(row.updated),
  customFields: [],
  attachments: parts.attachments,
  sharedFiles: [],
  stars: parts.stars,
  ...(parts.childIssueSummary && { childIssueSummary: parts.childIssueSummary }),
});
