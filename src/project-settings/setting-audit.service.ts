import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type AuditedCaller } from '../access/caller';
import { type AuditAction } from '../audit-log/audit-action';
import { auditChanges } from '../audit-log/audit-changes';
import { AuditLogService } from '../audit-log/audit-log.service';

/** A setting as the wire shows it. */
interface Setting {
  id: number;
  projectId: number;
  name: string;
}

/** What the wire shows of a setting and does not describe it. */
const LEFT_OUT: ReadonlySet<string> = new Set(['id', 'projectId', 'displayOrder']);

/** Records changes of project settings in the audit log. */
@Injectable()
export class SettingAuditService {
  constructor(private readonly auditLog: AuditLogService) {}

  /** Records what has changed of a setting, in the transaction of the change; nothing when nothing has. */
  async record(
    manager: EntityManager,
    caller: AuditedCaller,
    action: AuditAction,
    { before, after }: { before?: Setting; after?: Setting },
  ): Promise<void> {
    const setting = (after ?? before) as Setting;
    const fields = Object.keys({ ...before, ...after }).filter((field) => !LEFT_OUT.has(field));
    const changes = auditChanges({ ...before }, { ...after }, fields);
    if (changes.length === 0) return;
    const { id, name, projectId } = setting;
    await this.auditLog.record(manager, caller, { action, subject: { id, name }, projectId, changes });
  }

  /** Records a new order of a project's statuses. */
  recordOrder(
    manager: EntityManager,
    caller: AuditedCaller,
    project: { id: number; projectKey: string },
    { before, after }: { before: readonly number[]; after: readonly number[] },
  ): Promise<void> {
    const changes = auditChanges({ order: before }, { order: after }, ['order']);
    if (changes.length === 0) return Promise.resolve();
    return this.auditLog.record(manager, caller, {
      action: 'status.order',
      subject: { id: project.id, name: project.projectKey },
      projectId: project.id,
      changes,
    });
  }
}
