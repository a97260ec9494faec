import { IdField } from '../../http/request/fields';

/** Body of what adds somebody to a project or to its administrators, or takes them away. */
export class ProjectMemberDto {
  @IdField({ description: 'Id of the user.', example: 2 })
  userId: number;
}
