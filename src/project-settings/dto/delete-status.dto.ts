import { IdField } from '../../http/request/fields';

/** What becomes of the issues of a status that goes. */
export class DeleteStatusDto {
  @IdField({ description: 'Another status of the project, which the issues get.', example: 1 })
  substituteStatusId: number;
}
