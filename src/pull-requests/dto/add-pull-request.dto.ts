import { UploadsField } from '../../attachments/dto/uploads-field';
import { IdField, TextField } from '../../http/request/fields';
import { NotifiedUsersField } from '../../notifications/dto/notified-users-field';

/** Body of `addPullRequest`. */
export class AddPullRequestDto {
  @TextField({ description: 'The summary.', min: 1, max: 255, trim: true, example: 'Page to the end' })
  summary: string;

  @TextField({
    description: 'The description.',
    max: 100_000,
    example: 'The list ends one too early.',
  })
  description: string;

  @TextField({ description: 'The branch to merge into.', min: 1, max: 255, trim: true, example: 'main' })
  base: string;

  @TextField({
    description: 'The branch to merge; must differ from `base`.',
    min: 1,
    max: 255,
    trim: true,
    example: 'page-to-the-end',
  })
  branch: string;

  @IdField({ description: 'The related issue, one of the project.', optional: true, nullable: true })
  issueId?: number | null;

  @IdField({
    description: 'The assignee: a member of the project, or an Administrator.',
    optional: true,
    nullable: true,
    example: 2,
  })
  assigneeId?: number | null;

  @NotifiedUsersField()
  notifiedUserId: number[] = [];

  @UploadsField()
  attachmentId: number[] = [];
}
