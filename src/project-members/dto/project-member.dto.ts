import { IdField } from '../../http/request/fields';

/** The user who is added to or removed from the members or administrators of a project. */
export class ProjectMemberDto {
  @IdField({ description: 'Id of the user.', example: 2 })
  userId: number;
}
