import { CommentContentField } from '../../comments/dto/comment-content';
import { IdListField } from '../../http/fields';

/** Body of `addPullRequestComment`. */
export class AddPullRequestCommentDto {
  @CommentContentField()
  content: string;

  @IdListField({
    description: 'Users to notify: members of the project, or Administrators.',
    optional: true,
    example: [2],
  })
  notifiedUserId: number[] = [];

  @IdListField({ description: "The caller's uploads to attach.", optional: true, example: [] })
  attachmentId: number[] = [];
}
