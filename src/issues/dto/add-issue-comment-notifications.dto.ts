import { IdListField } from '../../http/request/fields';

/** Body of a request that adds notifications to an issue comment (`docs/protocol.md#add-notifications-to-an-issue-comment`). */
export class AddIssueCommentNotificationsDto {
  @IdListField({
    description:
      'Users to notify: members of the project, or Administrators. Users who are already notified are skipped, even if none remain.',
    example: [2],
  })
  notifiedUserId: number[];
}
