import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type AuditedCaller } from '../access/caller';
import { type PastChange, pastChangeOf } from '../access/past-change';
import { auditChanges } from '../audit-log/audit-changes';
import { type AuditedChange, AuditLogService } from '../audit-log/audit-log.service';
import { InvalidRequestError, type Problem } from '../errors/domain-errors';
import { toTimestamp } from '../http/request/timestamp';
import { type PastFields } from './dto/past-change-fields';
import { UsersService } from './users.service';

/** By how much the clock of a source may be ahead, in milliseconds. */
const MAX_CLOCK_LEAD_MS = 5 * 60_000;

/** Checks the past changes that requests record, and writes their entries of the audit log. */
@Injectable()
export class PastChangesService {
  constructor(
    private readonly users: UsersService,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * Returns the change that a request records.
   * @throws InvalidRequestError naming a user who does not exist, and a time before 1970, after now or before the creation
   */
  async of(actor: AuditedCaller, fields: PastFields): Promise<PastChange> {
    const { createdUserId = actor.id, updatedUserId = createdUserId } = fields;
    const created = (fields.created ?? fields.updated)?.getTime() ?? Date.now();
    const updated = fields.updated?.getTime() ?? created;
    const problems = [...problemsOf('created', fields.created), ...problemsOf('updated', fields.updated)];
    if (problems.length === 0 && updated < created) {
      problems.push({ message: 'updated must not be before created.', moreInfo: 'updated' });
    }
    if (problems.length > 0) throw new InvalidRequestError(problems);
    await this.requireUser(createdUserId, 'createdUserId');
    if (updatedUserId !== createdUserId) await this.requireUser(updatedUserId, 'updatedUserId');
    return { actor, author: { id: createdUserId }, created, updatedUserId, updated };
  }

  /** Records the past change of a transaction in the audit log; nothing for a change of today, which has its own entry or none. */
  async record(manager: EntityManager, change: Omit<AuditedChange, 'changes'>): Promise<void> {
    const past = pastChangeOf(manager);
    if (!past) return;
    const origin = { createdUserId: past.author.id, created: toTimestamp(past.created) };
    const changes = auditChanges({}, origin, ['createdUserId', 'created']);
    await this.auditLog.record(manager, past.actor, { ...change, changes });
  }

  private async requireUser(id: number, field: string): Promise<void> {
    if ((await this.users.isActive(id)) === undefined) {
      throw InvalidRequestError.of(field, `There is no user ${id}.`);
    }
  }
}

function problemsOf(field: string, time: Date | undefined): Problem[] {
  if (!time || (time.getTime() >= 0 && time.getTime() <= Date.now() + MAX_CLOCK_LEAD_MS)) return [];
  return [{ message: `${field} must be a time from 1970 until now.`, moreInfo: field }];
}
