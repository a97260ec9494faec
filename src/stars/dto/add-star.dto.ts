import { IdField } from '../../http/request/fields';

const TargetField = (description: string, example: number | null): PropertyDecorator =>
  IdField({ description, optional: true, nullable: true, example });

/** Body of a request that adds a star: exactly one of the fields. */
export class AddStarDto {
  @TargetField('Id of an issue.', 1)
  issueId?: number | null;

  @TargetField('Id of a comment on an issue.', null)
  commentId?: number | null;

  @TargetField('Id of a wiki page.', null)
  wikiId?: number | null;

  @TargetField('Id of a pull request.', null)
  pullRequestId?: number | null;

  @TargetField('Id of a comment on a pull request.', null)
  pullRequestCommentId?: number | null;
}

/** The fields, each with the name of the subject in "There is no …". */
export const STAR_FIELDS: Readonly<Record<keyof AddStarDto, string>> = {
  issueId: 'issue',
  commentId: 'comment on an issue',
  wikiId: 'wiki page',
  pullRequestId: 'pull request',
  pullRequestCommentId: 'comment on a pull request',
};

export type StarField = keyof AddStarDto;
