import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type AccessSubject, type PathParameters, type ResourceResolver } from '../access/access';
import { NoResourceError } from '../errors/domain-errors';
import { parseId } from '../http/path-id';
import { ProjectsService } from '../projects/projects.service';
import { type Caller } from '../users/caller';

/** A wiki page that the path names. */
export interface WikiSubject extends AccessSubject {
  id: number;
  projectId: number;
  name: string;
  content: string;
  version: number;
}

/** Finds the page of `/wikis/{wikiId}/…`; one in a project that the caller may not see is not there. */
@Injectable()
export class WikiResolver implements ResourceResolver<WikiSubject> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly projects: ProjectsService,
  ) {}

  async resolve({ wikiId }: PathParameters, caller: Caller): Promise<WikiSubject> {
    const id = parseId(wikiId);
    const wiki = id === undefined ? undefined : await this.findById(id);
    const project = wiki && (await this.projects.findVisibleById(caller, wiki.projectId));
    if (!wiki || !project) throw new NoResourceError('wiki page');
    return { ...wiki, isProjectAdministrator: project.isProjectAdministrator };
  }

  private async findById(id: number): Promise<Omit<WikiSubject, keyof AccessSubject> | undefined> {
    const [row] = await this.dataSource.query<Omit<WikiSubject, keyof AccessSubject>[]>(
      'SELECT id, project_id AS projectId, name, content, version FROM wiki WHERE id = ?',
      [id],
    );
    return row;
  }
}
