import { IdListField } from '../../http/fields';

/** Body of 4.4. */
export class AddIssueCommentNotificationsDto {
  @IdListField({
    description:
      'Users to notify: members of the project, or Administrators. Who is notified already is left out.',
    min: 1,
    example: [2],
  })
  notifiedUserId: number[];
}
