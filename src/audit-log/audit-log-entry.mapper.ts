import { toTimestamp } from '../http/request/timestamp';
import { type AuditAction } from './audit-action';
import { type AuditLogEntryDto } from './dto/audit-log-entry.dto';
import { type AuditLogEntry } from './entities/audit-log-entry.entity';

/** Converts an entry to its format in responses. */
export const toAuditLogEntryDto = (entry: AuditLogEntry): AuditLogEntryDto => ({
  id: entry.id,
  created: toTimestamp(entry.created),
  actorId: entry.actorId,
  actorName: entry.actorName,
  agent: entry.agent,
  address: entry.address,
  action: entry.action as AuditAction,
  subjectId: entry.subjectId,
  subjectName: entry.subjectName,
  projectId: entry.projectId,
  projectKey: entry.projectKey,
  changes: entry.changes,
});
