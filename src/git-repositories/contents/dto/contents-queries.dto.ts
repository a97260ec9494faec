import { IntegerField, TextField, TimeField } from '../../../http/request/fields';
import { CountOffsetQuery } from '../../../http/request/page-query';
import { RepositoryPathField } from './repository-path';

const RefField = (): PropertyDecorator =>
  TextField({
    description: 'A branch, a tag or a commit hash; the default branch if omitted.',
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

  @RepositoryPathField({ description: 'Only commits that change this file or folder.', optional: true })
  readonly path?: string;

  @TextField({
    description: "Only commits whose author's name or mail address contains this, regardless of case.",
    min: 1,
    max: 255,
    optional: true,
  })
  readonly author?: string;

  @TimeField({ description: 'Only commits made at or after this time.', optional: true })
  readonly since?: Date;

  @TimeField({ description: 'Only commits made at or before this time.', optional: true })
  readonly until?: Date;
}

/** Query of `listTree`. */
export class ListTreeQuery extends CountOffsetQuery {
  @RefField()
  readonly ref?: string;

  @RepositoryPathField({ description: 'Path of the folder; the top folder if omitted.', optional: true })
  readonly path?: string;
}

/** Query of `downloadGitFile`. */
export class GitFileQuery {
  @RefField()
  readonly ref?: string;

  @RepositoryPathField({ description: 'Path of the file, from the top folder on.', example: 'README.md' })
  readonly path: string;
}

const ComparedField = (description: string, example: string): PropertyDecorator =>
  TextField({
    description: `${description}: a branch, a tag or a commit hash.`,
    min: 1,
    max: 255,
    example,
  });

/** Query of `compareCommits`. */
export class CompareQuery extends CountOffsetQuery {
  @ComparedField('The base of the comparison', 'main')
  readonly base: string;

  @ComparedField('The head of the comparison', 'main')
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
