import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Caller } from '../../access/caller';
import { RoleType } from '../../access/role-type';
import { Conditions } from '../../database/conditions';
import { contains } from '../../database/contains';
import { offsetPage } from '../../database/list-page';
import { keywordSearchRunner } from '../../database/search/searches';
import { inList, isEmbedded } from '../../database/statements';
import { type Requester } from '../../event-loop/user-turns';
import { type Page } from '../../paging/page';
import { deletedProjectIds, visibleProjectIds } from '../../projects/visibility';
import { DocumentStatus } from '../document-status';
import { type ListDocumentsQuery } from '../dto/document-queries.dto';

/** A document that a search has found, and how many characters it has. */
export interface FoundDocument {
  id: number;
  projectId: number;
  size: number;
}

/** Searches for documents. It finds only their ids, so that no engine sorts texts. */
@Injectable()
export class DocumentSearchRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** One page of the active documents of the projects that a caller may see. */
  findPage(caller: Caller, query: ListDocumentsQuery, searcher: Requester): Promise<Page<FoundDocument>> {
    const conditions = this.visible(caller)
      .inIfAny('d.project_id', query.projectId)
      .add('d.status_id = ?', DocumentStatus.Active);
    if (query.keyword) {
      const { sql: inTitle, parameter } = contains(this.dataSource, 'd.title', query.keyword);
      const { sql: inText } = contains(this.dataSource, 'd.plain', query.keyword);
      conditions.add(`(${inTitle} OR ${inText})`, parameter, parameter);
    }
    const runner = query.keyword ? keywordSearchRunner(this.dataSource, searcher) : this.dataSource;
    const direction = query.order === 'asc' ? 'ASC' : 'DESC';
    return offsetPage(
      runner,
      {
        select: 'd.id AS id, d.project_id AS projectId, d.size AS size',
        from: `document d ${this.index(caller, query)}`,
        conditions,
      },
      query,
      `d.${query.sort} ${direction}, d.id ${direction}`,
    );
  }

  /** The ids, of some projects, of those that a caller may see now. */
  async findVisibleProjects(caller: Caller, projectIds: readonly number[]): Promise<Set<number>> {
    const { sql, parameters } = visibleProjectIds(caller);
    const list = inList(projectIds);
    const rows = await this.dataSource.query<{ id: number }[]>(
      `SELECT id FROM (${sql}) visible WHERE id ${list.sql}`,
      [...parameters, ...list.parameters],
    );
    return new Set(rows.map(({ id }) => id));
  }

  private visible(caller: Caller): Conditions {
    if (caller.roleType === RoleType.Administrator) {
      // There are few deleted projects: a list in the order of an index stays one.
      return new Conditions().add(`d.project_id NOT IN (${deletedProjectIds})`);
    }
    const { sql, parameters } = visibleProjectIds(caller);
    return new Conditions().add(`d.project_id IN (${sql})`, ...parameters);
  }

  /** MariaDB would rather read every document of the space and sort them. */
  private index(caller: Caller, { projectId, sort }: ListDocumentsQuery): string {
    const isOfSpace = caller.roleType === RoleType.Administrator && projectId.length === 0;
    return isOfSpace && !isEmbedded(this.dataSource) ? `FORCE INDEX (ix_document_${sort})` : '';
  }
}
