import { columnsOf } from '../database/statements';
import { type StatusDto } from './dto/status.dto';
import { IssueStatus } from './entities/issue-status.entity';
import { type SettingKind } from './setting-kind';
import { toWireId } from './status-wire-id';

const COLUMNS = ['id', 'projectId', 'name', 'color', 'displayOrder', 'standard'] as const;

/** What of a status is read. */
export type StatusRow = Pick<IssueStatus, (typeof COLUMNS)[number]>;

/** A status as the wire shows it. */
export const toStatusDto = (status: StatusRow): StatusDto => ({
  id: toWireId(status),
  projectId: status.projectId,
  name: status.name,
  color: status.color,
  displayOrder: status.displayOrder,
});

/** How statuses are read and written. */
export const STATUSES: SettingKind<StatusRow, StatusDto> = {
  what: 'status',
  entity: IssueStatus,
  select: `SELECT ${columnsOf('t', COLUMNS)} FROM issue_status t`,
  toDto: toStatusDto,
};
