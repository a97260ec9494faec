import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Conditions } from '../../database/sql/conditions';
import { idPage } from '../../database/sql/list-page';
import { entityColumns, hydrateRows, insertRows } from '../../database/sql/rows';
import { affectedRows, inList } from '../../database/sql/statements';
import { type IdPaging, Page } from '../../paging/page';
import { type AuditAction } from '../audit-action';
import { AuditLogEntry } from '../entities/audit-log-entry.entity';

const KEYS = [
  'id',
  'created',
  'actorId',
  'actorName',
  'agent',
  'address',
  'action',
  'subjectId',
  'subjectName',
  'projectId',
  'projectKey',
  'changes',
] as const;

/** Filter of the entries to list; times in milliseconds since 1970. */
export interface AuditLogFilter {
  actorId?: number;
  actions: readonly AuditAction[];
  since?: number;
  until?: number;
}

/** Accesses the table `audit_log_entry`. */
@Injectable()
export class AuditLogRepository {
  constructor(private readonly dataSource: DataSource) {}

  async insert(manager: EntityManager, entries: readonly Omit<AuditLogEntry, 'id'>[]): Promise<void> {
    await insertRows(manager, AuditLogEntry, entries);
  }

  /** Returns one page of the entries, in one query. */
  async findPage(filter: AuditLogFilter, query: IdPaging): Promise<Page<AuditLogEntry>> {
    const conditions = new Conditions()
      .addIf(filter.actorId, 'actor_id = ?')
      .inIfAny('`action`', filter.actions)
      .addIf(filter.since, 'created >= ?')
      .addIf(filter.until, 'created < ?');
    const select = entityColumns(this.dataSource, AuditLogEntry, KEYS, '');
    const { items, next } = await idPage<AuditLogEntry>(
      this.dataSource,
      { select, from: 'audit_log_entry', conditions },
      query,
    );
    return new Page(await hydrateRows(this.dataSource, AuditLogEntry, KEYS, items), next);
  }

  /** Removes up to `limit` entries from before a time, the oldest first; returns their number. */
  async removeOlder(manager: EntityManager, before: number, limit: number): Promise<number> {
    const rows = await manager.query<{ id: number }[]>(
      `SELECT id FROM audit_log_entry WHERE created < ? ORDER BY created, id LIMIT ${limit}`,
      [before],
    );
    if (rows.length === 0) return 0;
    const list = inList(rows.map(({ id }) => id));
    return affectedRows(manager, `DELETE FROM audit_log_entry WHERE id ${list.sql}`, list.parameters);
  }
}
