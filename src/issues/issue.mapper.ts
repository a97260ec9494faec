import { type IssueHead } from '../activities/activity-content';
import { type AttachedFileDto } from '../attachments/dto/attached-file.dto';
import { type CustomFieldValueDto } from '../custom-fields/dto/custom-field-value.dto';
import { toDate } from '../http/request/date';
import { toTimestamp } from '../http/request/timestamp';
import { type CategoryDto } from '../project-settings/dto/category.dto';
import { type IssueTypeDto } from '../project-settings/dto/issue-type.dto';
import { type StatusDto } from '../project-settings/dto/status.dto';
import { type VersionDto } from '../project-settings/dto/version.dto';
import { priorityOf } from '../project-settings/priorities';
import { resolutionOf } from '../project-settings/resolutions';
import { type SharedFileDto } from '../shared-files/dto/shared-file.dto';
import { type StarDto } from '../stars/dto/star.dto';
import { type UserDto } from '../users/dto/user.dto';
import { type IssueLineDto } from './dto/issue-line.dto';
import { type ChildIssueSummaryDto, type IssueDto } from './dto/issue.dto';
import { type IssueLine, type IssueRow } from './data/issue.repository';
import { valuesOf } from './issue-fields';

/** The parts of an issue's response that are not in its row. The maps have an entry for every id in the row. */
export interface IssueParts {
  issueTypes: ReadonlyMap<number, IssueTypeDto>;
  statuses: ReadonlyMap<number, StatusDto>;
  users: ReadonlyMap<number, UserDto>;
  category: CategoryDto[];
  versions: VersionDto[];
  milestone: VersionDto[];
  customFields: CustomFieldValueDto[];
  attachments: AttachedFileDto[];
  sharedFiles: SharedFileDto[];
  stars: StarDto[];
  childIssueSummary?: ChildIssueSummaryDto;
}

/** Returns the path of an issue in the web interface. */
export const issuePath = (issueKey: string): string => `/view/${issueKey}`;

export const toIssueKey = ({ projectKey, keyId }: Pick<IssueRow, 'projectKey' | 'keyId'>): string =>
  `${projectKey}-${keyId}`;

export type IssueHeadRow = Pick<IssueRow, 'id' | 'keyId' | 'summary' | 'description'>;

/** Returns the fields that most activities about an issue start with. */
export const toIssueHead = (issue: IssueHeadRow): IssueHead => ({
  id: issue.id,
  key_id: issue.keyId,
  summary: issue.summary,
  description: issue.description,
});

/** Converts an issue to what a list shows of it. */
export const toIssueLineDto = (row: IssueLine, users: ReadonlyMap<number, UserDto>): IssueLineDto => ({
  projectId: row.projectId,
  issueKey: toIssueKey(row),
  summary: row.summary,
  status: row.statusName,
  assignee: row.assigneeId === null ? null : (users.get(row.assigneeId) as UserDto),
  updated: toTimestamp(row.updated),
});

/** Converts an issue to its wire format. */
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
  ...valuesOf(row, toDate),
  parentIssueId: row.parentIssueId,
  createdUser: parts.users.get(row.createdUserId) as UserDto,
  created: toTimestamp(row.created),
  updatedUser: parts.users.get(row.updatedUserId) as UserDto,
  updated: toTimestamp(row.updated),
  customFields: parts.customFields,
  attachments: parts.attachments,
  sharedFiles: parts.sharedFiles,
  stars: parts.stars,
  ...(parts.childIssueSummary && { childIssueSummary: parts.childIssueSummary }),
});
