import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type AccessSubject, type PathParameters, type ResourceResolver } from '../access/access';
import { NoResourceError } from '../errors/domain-errors';
import { parseId } from '../http/path-id';
import { isVisible, joinProject, VISIBILITY_COLUMNS, type VisibilityRow } from '../projects/visibility';
import { type Caller } from '../users/caller';

/** A wiki page that the path names. */
export interface WikiSubject extends AccessSubject {
  id: number;
  projectId: number;
  name: string;
  content: string;
  version: number;
}

type WikiRow = Omit<WikiSubject, keyof AccessSubject> & VisibilityRow;

/** Finds the page of `/wikis/{wikiId}/…`; one in a project that the caller may not see is not there. */
@Injectable()
export class WikiResolver implements ResourceResolver<WikiSubject> {
  constructor(private readonly dataSource: DataSource) {}

  async resolve({ wikiId }: PathParameters, caller: Caller): Promise<WikiSubject> {
    const id = parseId(wikiId);
    const [row] = id === undefined ? [] : await this.find(caller, id);
    if (!row || !isVisible(row, caller)) throw new NoResourceError('wiki page');
    const { memberId, projectAdministrator, ...wiki } = row;
    return { ...wiki, isProjectAdministrator: Boolean(projectAdministrator) };
  }

  private find(caller: Caller, id: number): Promise<WikiRow[]> {
    return this.dataSource.query<WikiRow[]>(
      `SELECT w.id AS id, w.project_id AS projectId, w.name AS name, w.content AS content, w.version AS version,
              ${VISIBILITY_COLUMNS}
         FROM wiki w ${joinProject('w.project_id')} WHERE w.id = ?`,
      [caller.id, id],
    );
  }
}
