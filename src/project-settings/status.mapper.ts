import { type StatusRow } from './data/status.repository';
import { type StatusDto } from './dto/status.dto';
import { toWireId } from './status-wire-id';

/** Maps a status row to its API representation. */
export const toStatusDto = (status: StatusRow): StatusDto => ({
  id: toWireId(status),
  projectId: status.projectId,
  name: status.name,
  color: status.color,
  displayOrder: status.displayOrder,
});
