import { Injectable } from '@nestjs/common';
import { type AccessResource, type PathParameters, type ResourceLoader } from '../access/access';
import { type Caller, seesOnlyOwnProjects } from '../access/caller';
import { NoResourceError } from '../errors/domain-errors';
import { parseId } from '../http/request/path-id';
import { AnyProjectLoader } from '../projects/any-project.loader';
import { ProjectTeamRepository } from './data/project-team.repository';
import { TeamRepository } from './data/team.repository';

/** The team named in the path. */
export interface TeamResource extends AccessResource {
  id: number;
}

/**
 * Finds the team of `/teams/{teamId}`. Teams belong to the space: their existence is secret only from callers who see only the teams
 * of their projects (`docs/decisions/0053-people.md`).
 */
@Injectable()
export class TeamLoader implements ResourceLoader<TeamResource> {
  constructor(
    private readonly teams: TeamRepository,
    private readonly projectTeams: ProjectTeamRepository,
    private readonly anyProject: AnyProjectLoader,
  ) {}

  async load({ teamId }: PathParameters, caller: Caller): Promise<TeamResource> {
    const id = parseId(teamId);
    const exists = id !== undefined && (await this.teams.exists(id));
    if (!exists || !(await this.isVisible(caller, id))) throw new NoResourceError('team');
    return { id };
  }

  private async isVisible(caller: Caller, id: number): Promise<boolean> {
    if (!seesOnlyOwnProjects(caller) || (await this.projectTeams.isVisibleTo(caller, id))) return true;
    // Administrators of a project may add any team to it.
    const { isProjectAdministrator } = await this.anyProject.load({}, caller);
    return isProjectAdministrator === true;
  }
}
