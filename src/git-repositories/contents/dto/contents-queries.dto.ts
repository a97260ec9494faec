import { IntegerField, TextField, TimeField } from '../../../http/request/fields';
import { CountOffsetQuery } from '../../../http/request/page-query';
import { RepositoryPathField } from './repository-path';

const RefField = (): PropertyDecorator =>
  TextField({
    description: 'A branch, a tag, or the hash of a commit; the default branch if left out.',
    min: 1,
    max: 255,
    optional: true,
    example: 'main',
  });

/** Query of lists of branches and tags, of a commit, and of the contents of a pull request. */
export class ListContentsQuery extends CountOffsetQuery {}

/** Query of `listCommits`. */
export class ListCommitsQuery extends CountOffsetQuery {
  @RefField()
  readonly ref?: string;

  @RepositoryPathField({ description: 'A file or a folder that the commits change.', optional: true })
  readonly path?: string;

  @TextField({
    description: "A part of the author's name or mail address, in any case.",
    min: 1,
    max: 255,
    optional: true,
  })
  readonly author?: string;

  @TimeField({ description: 'No commit that was made earlier.', optional: true })
  readonly since?: Date;

  @TimeField({ description: 'No commit that was made later.', optional: true })
  readonly until?: Date;
}

/** Query of `listTree`. */
export class ListTreeQuery extends CountOffsetQuery {
  @RefField()
  readonly ref?: string;

  @RepositoryPathField({ description: 'A folder; the top folder if left out.', optional: true })
  readonly path?: string;
}

/** Query of `downloadGitFile`. */
export class GitFileQuery {
  @RefField()
  readonly ref?: string;

  @RepositoryPathField({ description: 'The file, from the top folder on.', example: 'README.md' })
  readonly path: string;
}

const ComparedField = (description: string, example: string): PropertyDecorator =>
  TextField({
    description: `${description}: a branch, a tag, or the hash of a commit.`,
    min: 1,
    max: 255,
    example,
  });

/** Query of `compareCommits`. */
export class CompareQuery extends CountOffsetQuery {
  @ComparedField('What to compare with', 'main')
  readonly base: string;

  @ComparedField('What to compare', 'main')
  readonly head: string;

  @IntegerField({
    description: 'Number of changed files to skip.',
    min: 0,
    max: 2 ** 31 - 1,
    default: 0,
    optional: true,
  })
  readonly fileOffset: number = 0;
}
