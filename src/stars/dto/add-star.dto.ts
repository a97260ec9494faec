import { IdField } from '../../http/request/fields';

const TargetField = (description: string, example: number | null): PropertyDecorator =>
  IdField({ description, optional: true, nullable: true, example });

/** Body of a request that adds a star: exactly one of the fields. */
export class AddStarDto {
  @TargetField('An issue.', 1)
  issueId?: number | null;

  @TargetField('A comment on an issue.', null)
  commentId?: number | null;

  @TargetField('A wiki page.', null)
  wikiId?: number | null;

  @TargetField('A pull request.', null)
  pullRequestId?: number | null;

  @TargetField('A comment on a pull request.', null)
  pullRequestCommentId?: number | null;
}
