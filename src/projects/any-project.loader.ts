import { Injectable } from '@nestjs/common';
import { type AccessResource, type PathParameters, type ResourceLoader } from '../access/access';
import { type Caller } from '../access/caller';
import { ProjectMemberRepository } from './data/project-member.repository';

/**
 * Loader for paths without a project, which the administrators of any project may call. A key limited to projects concerns only these, and
 * not the people and teams of the space.
 */
@Injectable()
export class AnyProjectLoader implements ResourceLoader {
  constructor(private readonly members: ProjectMemberRepository) {}

  async load(_parameters: PathParameters, caller: Caller): Promise<AccessResource> {
    const concernsSpace = caller.projectIds === undefined;
    return { isProjectAdministrator: concernsSpace && (await this.members.administersAny(caller.id)) };
  }
}
