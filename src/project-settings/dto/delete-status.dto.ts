import { IdField } from '../../http/request/fields';

/** Body of the deletion of a status: the substitute for its issues. */
export class DeleteStatusDto {
  @IdField({ description: 'Another status of the project, which replaces it in issues.', example: 1 })
  substituteStatusId: number;
}
