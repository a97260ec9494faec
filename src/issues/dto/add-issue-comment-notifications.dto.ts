import { IdListField } from '../../http/request/fields';

/** Body of a request that adds notifications to an issue comment (`docs/protocol.md#add-notifications-to-an-issue-comment`). */
export class AddIssueCommentNotificationsDto {
  @IdListField({
    description:
      'Users to notify: members of the project, or Administrators. Users who have been notified already are skipped; all of them may be.',
    example: [2],
  })
  notifiedUserId: number[];
}
