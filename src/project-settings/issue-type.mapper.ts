import { columnsOf } from '../database/statements';
import { type IssueTypeDto } from './dto/issue-type.dto';
import { IssueType } from './entities/issue-type.entity';
import { type SettingKind } from './setting-kind';

const COLUMNS = [
  'id',
  'projectId',
  'name',
  'color',
  'displayOrder',
  'templateSummary',
  'templateDescription',
] as const;

/** What of an issue type is read. */
export type IssueTypeRow = Pick<IssueType, (typeof COLUMNS)[number]>;

/** An issue type as the wire shows it; templates that are not set are left out. */
export const toIssueTypeDto = (issueType: IssueTypeRow): IssueTypeDto => ({
  id: issueType.id,
  projectId: issueType.projectId,
  name: issueType.name,
  color: issueType.color,
  displayOrder: issueType.displayOrder,
  ...(issueType.templateSummary !== null && { templateSummary: issueType.templateSummary }),
  ...(issueType.templateDescription !== null && { templateDescription: issueType.templateDescription }),
});

/** How issue types are read and written. */
export const ISSUE_TYPES: SettingKind<IssueTypeRow, IssueTypeDto> = {
  what: 'issue type',
  entity: IssueType,
  select: `SELECT ${columnsOf('t', COLUMNS)} FROM issue_type t`,
  toDto: toIssueTypeDto,
};
