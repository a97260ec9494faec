import { toDate } from '../http/request/date';
import { type VersionRow } from './data/version.repository';
import { type VersionDto } from './dto/version.dto';

/** Maps a version row to its API representation. */
export const toVersionDto = (version: VersionRow): VersionDto => ({
  id: version.id,
  projectId: version.projectId,
  name: version.name,
  description: version.description,
  startDate: toDate(version.startDate),
  releaseDueDate: toDate(version.releaseDueDate),
  archived: version.archived,
  displayOrder: version.displayOrder,
});
