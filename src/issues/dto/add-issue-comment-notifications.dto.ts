import { IdListField } from '../../http/request/fields';

/** Body of a request that adds notifications to an issue comment (`docs/protocol.md#add-notifications-to-an-issue-comment`). */
export class AddIssueCommentNotificationsDto {
  @IdListField({
    description:
      'Users to notify: members of the project, or Administrators. Who is notified already is left out; nobody may be left.',
    example: [2],
  })
  notifiedUserId: number[];
}
