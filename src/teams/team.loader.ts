import { Injectable } from '@nestjs/common';
import { type AccessResource, type PathParameters, type ResourceLoader } from '../access/access';
import { NoResourceError } from '../errors/domain-errors';
import { parseId } from '../http/request/path-id';
import { TeamRepository } from './data/team.repository';

/** The team named in the path. */
export interface TeamResource extends AccessResource {
  id: number;
}

/** Finds the team of `/teams/{teamId}`. Teams belong to the space: their existence is not secret, only their content. */
@Injectable()
export class TeamLoader implements ResourceLoader<TeamResource> {
  constructor(private readonly teams: TeamRepository) {}

  async load({ teamId }: PathParameters): Promise<TeamResource> {
    const id = parseId(teamId);
    if (id === undefined || !(await this.teams.exists(id))) throw new NoResourceError('team');
    return { id };
  }
}
