import { type StatusRow } from './data/status.repository';
import { type StatusDto } from './dto/status.dto';
import { toWireId } from './status-wire-id';

/** A status as the wire shows it. */
export const toStatusDto = (status: StatusRow): StatusDto => ({
  id: toWireId(status),
  projectId: status.projectId,
  name: status.name,
  color: status.color,
  displayOrder: status.displayOrder,
});
