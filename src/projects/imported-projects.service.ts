import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Actor } from '../audit-log/actor';
import { auditChanges } from '../audit-log/audit-changes';
import { AuditLogService } from '../audit-log/audit-log.service';
import { isDuplicate } from '../database/connections/database-errors';
import { TransactionsService } from '../database/transactions/transactions.service';
import { ConflictError, NoResourceError } from '../errors/domain-errors';
import { CountLimitsService } from '../limits/count-limits.service';
import { SpaceService } from '../space/space.service';
import { ProjectRepository } from './data/project.repository';
import { deletedProjectKey } from './project-key';
import { ProjectRemovalService } from './project-removal.service';

/** A project that becomes visible. */
export interface PublishedProject {
  id: number;
  key: string;
  name: string;
}

/** A key that a project has. */
export interface TakenKey {
  id: number;
  key: string;
}

/** Projects that an import writes: as invisible as deleted ones until the import ends (`docs/decisions/0069-imports.md`). */
@Injectable()
export class ImportedProjectsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly rows: ProjectRepository,
    private readonly removal: ProjectRemovalService,
    private readonly space: SpaceService,
    private readonly limits: CountLimitsService,
    private readonly auditLog: AuditLogService,
    private readonly transactions: TransactionsService,
  ) {}

  /**
   * Checks that there is room for projects.
   * @throws ResourceOverflowError
   */
  async requireRoom(added: number): Promise<void> {
    const { manager } = this.dataSource;
    this.limits.require('project', (await this.rows.count(manager)) + added);
  }

  /** Returns which of the keys projects have. */
  async findTakenKeys(keys: readonly string[]): Promise<TakenKey[]> {
    const rows = await this.rows.findByKeys(this.dataSource, keys);
    return rows.map(({ id, projectKey: key }) => ({ id, key }));
  }

  /** Returns which of the ids projects have, whether visible or not. */
  async findExisting(ids: readonly number[]): Promise<number[]> {
    return (await this.rows.findByIds(ids)).map(({ id }) => id);
  }

  /**
   * Makes the projects of an import visible, all in one transaction.
   * @throws ConflictError for a key that another project has got meanwhile, ResourceOverflowError, NoResourceError when a project is gone
   */
  async publish(
    manager: EntityManager,
    actor: Actor,
    importId: number,
    projects: readonly PublishedProject[],
  ): Promise<void> {
    await this.space.lock(manager);
    this.limits.require('project', (await this.rows.count(manager)) + projects.length);
    for (const { id, key, name } of projects) {
      if (!(await this.publishOne(manager, importId, id, key))) throw new NoResourceError('project');
      const changes = auditChanges({}, { projectKey: key, name }, ['projectKey', 'name']);
      const subject = { id, name: key };
      await this.auditLog.record(manager, actor, {
        action: 'project.import',
        subject,
        projectId: id,
        changes,
      });
    }
  }

  /** Locks the space and projects until the transaction ends, so that no project is added and nothing is added to these. */
  async lock(manager: EntityManager, ids: readonly number[]): Promise<void> {
    await this.space.lock(manager);
    for (const id of [...ids].sort((one, other) => one - other)) await this.rows.lock(manager, id);
  }

  /**
   * Makes projects invisible that a later import replaces; their contents are removed afterwards. One that is gone already is left out.
   * @throws ConflictError for one that has another key now
   */
  async remove(manager: EntityManager, actor: Actor, projects: readonly TakenKey[]): Promise<void> {
    for (const { id, key } of projects) {
      const project = await this.rows.find(id, manager);
      if (!project) continue;
      if (project.projectKey !== key) {
        throw ConflictError.of(
          'project',
          `The project ${key} has got another key meanwhile: cancel the import.`,
        );
      }
      const changes = auditChanges({ ...project }, {}, ['projectKey', 'name']);
      const subject = { id, name: key };
      await this.auditLog.record(manager, actor, {
        action: 'project.delete',
        subject,
        projectId: id,
        changes,
      });
      await this.rows.update(manager, id, { deleted: true, projectKey: deletedProjectKey(id) });
    }
    this.transactions.afterCommit(manager, () => void this.removal.afterDeletion());
  }

  /** Removes the projects of an import that has been cancelled, in the background. */
  async abandon(manager: EntityManager, importId: number): Promise<void> {
    await this.rows.abandonImported(manager, importId);
    this.transactions.afterCommit(manager, () => this.removal.start());
  }

  private async publishOne(
    manager: EntityManager,
    importId: number,
    id: number,
    key: string,
  ): Promise<boolean> {
    try {
      return await this.rows.publish(manager, importId, id, key);
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      throw ConflictError.of(
        'project',
        `The project ${key} has been added meanwhile: change its key, and resume.`,
      );
    }
  }
}
