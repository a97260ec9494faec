import { IdField } from '../../http/request/fields';

/** Body of the deletion of an issue type: the substitute for its issues. */
export class DeleteIssueTypeDto {
  @IdField({
    description: 'Another issue type of the project, which the issues get.',
    example: 1,
  })
  substituteIssueTypeId: number;
}
