import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { Page } from '../paging/page';
import { type Actor, COMMAND_LINE_NAME } from './actor';
import { type AuditAction } from './audit-action';
import { type AuditChange, cutText } from './audit-changes';
import { toAuditLogEntryDto } from './audit-log-entry.mapper';
import { AuditLogRepository } from './data/audit-log.repository';
import { type AuditLogEntryDto } from './dto/audit-log-entry.dto';
import { type AuditLogQuery } from './dto/audit-log-query.dto';

/** A change to record. */
export interface AuditedChange {
  action: AuditAction;
  /** The changed entity, with its name at that time. */
  subject: { id: number; name: string };
  /** The project of the entity, if it has one; the project still exists. */
  projectId?: number;
  /** Created by `auditChanges`; never contains a secret. */
  changes?: readonly AuditChange[];
}

/** Finds the current name of an entity, in the transaction of the change; undefined when it no longer exists. */
export type NameFinder = (manager: EntityManager, id: number) => Promise<string | undefined>;

/** Called in the transaction of a change that has been recorded. */
export type AuditLogListener = (manager: EntityManager, change: AuditedChange) => Promise<void>;

/** Records changes of rights and settings and deletions, with their originators. */
@Injectable()
export class AuditLogService {
  private nameOfUser?: NameFinder;
  private keyOfProject?: NameFinder;
  private readonly listeners: AuditLogListener[] = [];

  constructor(private readonly entries: AuditLogRepository) {}

  /** Registers a module that also tells somebody of recorded changes. */
  onRecorded(listener: AuditLogListener): void {
    this.listeners.push(listener);
  }

  /** Registers the name finder of users. */
  setUserNames(finder: NameFinder): void {
    this.nameOfUser = finder;
  }

  /** Registers the key finder of projects. */
  setProjectNames(finder: NameFinder): void {
    this.keyOfProject = finder;
  }

  /** Records a change in its transaction, so that the entry exists if and only if the change has committed. */
  record(manager: EntityManager, actor: Actor, change: AuditedChange): Promise<void> {
    return this.recordAll(manager, actor, [change]);
  }

  /** Same for several changes of one request, in as many statements as for one if they are of one project, or of none. */
  async recordAll(manager: EntityManager, actor: Actor, changes: readonly AuditedChange[]): Promise<void> {
    const originator = {
      created: Date.now(),
      actorId: actor.id,
      actorName: actor.id === null ? COMMAND_LINE_NAME : await nameOf(manager, actor.id, this.nameOfUser),
      agent: actor.agent ?? null,
      address: actor.address,
    };
    const projectKeys = new Map<number, string>();
    for (const { projectId } of changes) {
      if (projectId === undefined || projectKeys.has(projectId)) continue;
      projectKeys.set(projectId, await nameOf(manager, projectId, this.keyOfProject));
    }
    await this.entries.insert(
      manager,
      changes.map(({ action, subject, projectId, changes: changed = [] }) => ({
        ...originator,
        action,
        subjectId: subject.id,
        subjectName: cutText(subject.name),
        projectId: projectId ?? null,
        projectKey: (projectId === undefined ? undefined : projectKeys.get(projectId)) ?? null,
        changes: [...changed],
      })),
    );
    for (const change of changes) {
      for (const listener of this.listeners) await listener(manager, change);
    }
  }

  /** Returns one page of the entries. */
  async list(query: AuditLogQuery): Promise<Page<AuditLogEntryDto>> {
    const { actorId, action, since, until } = query;
    const filter = { actorId, actions: action, since: since?.getTime(), until: until?.getTime() };
    const { items, next } = await this.entries.findPage(filter, query);
    return new Page(items.map(toAuditLogEntryDto), next);
  }
}

const nameOf = async (manager: EntityManager, id: number, find: NameFinder | undefined): Promise<string> =>
  (await find?.(manager, id)) ?? String(id);
