import { columnsOf } from '../database/statements';
import { toDate } from '../http/request/date';
import { type VersionDto } from './dto/version.dto';
import { Version } from './entities/version.entity';
import { type SettingKind } from './setting-kind';

const COLUMNS = [
  'id',
  'projectId',
  'name',
  'description',
  'startDate',
  'releaseDueDate',
  'archived',
  'displayOrder',
] as const;

/** What of a version is read; drivers tell true as 1. */
export type VersionRow = Omit<Pick<Version, (typeof COLUMNS)[number]>, 'archived'> & {
  archived: boolean | number;
};

/** A version as the wire shows it. */
export const toVersionDto = (version: VersionRow): VersionDto => ({
  id: version.id,
  projectId: version.projectId,
  name: version.name,
  description: version.description,
  startDate: toDate(version.startDate),
  releaseDueDate: toDate(version.releaseDueDate),
  archived: Boolean(version.archived),
  displayOrder: version.displayOrder,
});

/** How versions are read and written. */
export const VERSIONS: SettingKind<VersionRow, VersionDto> = {
  what: 'version',
  entity: Version,
  select: `SELECT ${columnsOf('t', COLUMNS)} FROM version t`,
  toDto: toVersionDto,
};
