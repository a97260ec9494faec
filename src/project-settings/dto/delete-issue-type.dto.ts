import { IdField } from '../../http/request/fields';

/** Body of the deletion of an issue type: the substitute for its issues. */
export class DeleteIssueTypeDto {
  @IdField({
    description: 'Another issue type of the project, which replaces it in issues.',
    example: 1,
  })
  substituteIssueTypeId: number;
}
