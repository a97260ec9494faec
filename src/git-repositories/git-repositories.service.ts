import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRow } from '../database/statements';
import { NoResourceError } from '../errors/domain-errors';
import { isNumeric, parseId } from '../http/path-id';
import { GitRepository } from './entities/git-repository.entity';

/** A repository as other modules need it. */
export interface RepositoryReference {
  id: number;
  name: string;
}

/** The git repositories of projects. */
@Injectable()
export class GitRepositoriesService {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * The repository of a path's `repoIdOrName` in a project: all digits are the id, anything else the name.
   * @throws NoResourceError
   */
  async getInProject(projectId: number, idOrName: string | undefined): Promise<RepositoryReference> {
    const byId = idOrName !== undefined && isNumeric(idOrName);
    const value = byId ? parseId(idOrName) : idOrName;
    if (value === undefined) throw new NoResourceError('git repository');
    const [row] = await this.dataSource.query<RepositoryReference[]>(
      `SELECT id, name FROM git_repository WHERE project_id = ? AND ${byId ? 'id' : 'name'} = ?`,
      [projectId, value],
    );
    // Databases compare more loosely: some take spaces at the end, or what follows a NUL, for nothing.
    if (!row || (!byId && row.name !== value)) throw new NoResourceError('git repository');
    return row;
  }

  /** Adds a repository to a project. */
  add(
    manager: EntityManager,
    repository: Pick<GitRepository, 'projectId' | 'name' | 'description' | 'createdUserId'>,
  ): Promise<number> {
    const now = Date.now();
    return insertRow(manager, GitRepository, {
      ...repository,
      created: now,
      updatedUserId: repository.createdUserId,
      updated: now,
    });
  }
}
