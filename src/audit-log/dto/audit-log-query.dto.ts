import { EnumListField, IdField, TimeField } from '../../http/request/fields';
import { IdPageQuery } from '../../http/request/page-query';
import { AUDIT_ACTIONS, type AuditAction } from '../audit-action';

/** Filter of the audit log entries to list. */
export class AuditLogQuery extends IdPageQuery {
  @IdField({ description: 'Only changes by this user.', optional: true })
  readonly actorId?: number;

  @EnumListField({ description: 'Only changes with these actions.', values: AUDIT_ACTIONS, optional: true })
  readonly action: AuditAction[] = [];

  @TimeField({ description: 'Only changes at or after this time.', optional: true })
  readonly since?: Date;

  @TimeField({ description: 'Only changes before this time.', optional: true })
  readonly until?: Date;
}
