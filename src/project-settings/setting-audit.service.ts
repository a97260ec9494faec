import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type AuditedCaller } from '../access/caller';
import { type AuditAction } from '../audit-log/audit-action';
import { auditChanges } from '../audit-log/audit-changes';
import { AuditLogService } from '../audit-log/audit-log.service';

/** A setting in its API representation. */
interface Setting {
  id: number;
  projectId: number;
  name: string;
}

/** Fields of the API representation that do not describe the setting. */
const LEFT_OUT: ReadonlySet<string> = new Set(['id', 'projectId', 'displayOrder']);

/** Records changes of project settings in the audit log. */
@Injectable()
export class SettingAuditService {
  constructor(private readonly auditLog: AuditLogService) {}

  /** Records the changes of a setting in their transaction; records nothing without changes. */
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
