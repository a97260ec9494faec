import { IdField } from '../../http/request/fields';

/** The team that joins or leaves a project. */
export class ProjectTeamDto {
  @IdField({ description: 'Id of the team.', example: 1 })
  teamId: number;
}
