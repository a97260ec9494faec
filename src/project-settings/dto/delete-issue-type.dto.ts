import { IdField } from '../../http/request/fields';

/** What becomes of the issues of an issue type that goes. */
export class DeleteIssueTypeDto {
  @IdField({
    description: 'Another issue type of the project, which the issues get.',
    example: 1,
  })
  substituteIssueTypeId: number;
}
