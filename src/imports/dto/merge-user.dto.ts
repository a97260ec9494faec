import { IdField } from '../../http/request/fields';

/** The body of a merge. */
export class MergeUserDto {
  @IdField({ description: 'The user who the placeholder is.', example: 2 })
  intoUserId: number;
}
