import { Injectable } from '@nestjs/common';
import { type Author } from '../../access/caller';
import { InvalidRequestError, NoResourceError } from '../../errors/domain-errors';
import { GitError, GitRefsDamagedError, RefNotUpdatedError } from '../../git/git-errors';
import { CountLimitsService } from '../../limits/count-limits.service';
import { type Page, toOffsetPage } from '../../paging/page';
import { PushesService } from '../pushes/pushes.service';
import { GitRefsService } from '../refs/git-refs.service';
import { BRANCHES, isRefName, NO_HASH, TAGS } from '../refs/ref-names';
import { requireReadable } from '../refs/ref-states';
import { DefaultBranchService } from '../default-branch.service';
import { type AddBranchDto, type BranchDto } from './dto/branch.dto';
import { type TagDto } from './dto/tag.dto';
import { type GitReading, GitReaderService } from './git-reader.service';
import { MAX_MESSAGE, withoutLastBreaks } from './git-message';
import { toCommitPerson } from './git-person';

interface Slice {
  count: number;
  offset: number;
}

/** Lists, adds and deletes the branches of git repositories, and lists their tags. */
@Injectable()
export class BranchesService {
  constructor(
    private readonly reader: GitReaderService,
    private readonly refs: GitRefsService,
    private readonly pushes: PushesService,
    private readonly defaultBranch: DefaultBranchService,
    private readonly limits: CountLimitsService,
  ) {}

  /** Returns one page of the branches, by name. */
  async list(reading: GitReading, slice: Slice): Promise<Page<BranchDto>> {
    const { defaultBranch } = await this.defaultBranch.get(reading.repositoryId);
    // Git fails for a branch whose commit is missing only when it reads the commit.
    const rows = await this.findRefs(reading, BRANCHES, ['%(objectname)', '%(objecttype)'], slice);
    return toOffsetPage(
      rows.map(([name = '', commit = '']) => ({ name, commit, isDefault: name === defaultBranch })),
      slice,
    );
  }

  /** Returns one page of the tags, by name. */
  async listTags(reading: GitReading, slice: Slice): Promise<Page<TagDto>> {
    return toOffsetPage((await this.findRefs(reading, TAGS, TAG_FIELDS, slice)).map(toTagDto), slice);
  }

  /**
   * Adds a branch, as a push would.
   * @throws InvalidRequestError when the branch exists, its name is not valid or conflicts with another branch, or `from` does not exist;
   * ResourceOverflowError when the repository has too many branches and tags, GitRefsDamagedError when a branch with this name is damaged,
   * RefNotUpdatedError when git cannot store it
   */
  async add(repositoryId: number, caller: Author, { name, from }: AddBranchDto): Promise<BranchDto> {
    const reading = { repositoryId, userId: caller.id };
    const ref = BRANCHES + name;
    if (!isRefName(ref) || name.startsWith('-') || name === 'HEAD')
      throw InvalidRequestError.of('name', 'name must be a valid git branch name.');
    const { defaultBranch } = await this.defaultBranch.get(repositoryId);
    const [commit, ...others] = await this.reader.findCommits(reading, [from, ...parentsOf(ref)]);
    if (commit === undefined)
      throw InvalidRequestError.of('from', 'from must be a branch, a tag or a commit.');
    if (others.some((other) => other !== undefined) || (await this.hasBelow(reading, ref)))
      throw nameConflictError();
    const present = await this.refs.list(repositoryId, [BRANCHES, TAGS], caller.id);
    this.limits.require('gitRef', present.length + 1);
    let isAdded: boolean;
    try {
      isAdded = await this.pushes.updateRef(repositoryId, caller, { ref, oldHash: NO_HASH, newHash: commit });
    } catch (error) {
      // A branch with a conflicting name has been added concurrently.
      if (error instanceof GitError) throw nameConflictError();
      if (error instanceof RefNotUpdatedError) throw await this.damagedRefErrorOr(error, reading, ref);
      throw error;
    }
    if (!isAdded) throw exists();
    return { name, commit, isDefault: name === defaultBranch };
  }

  /**
   * Deletes a branch, as a push would, and returns its last state.
   * @throws NoResourceError when there is no such branch, InvalidRequestError when it is the protected default branch, or has been pushed
   * to concurrently
   */
  async delete(repositoryId: number, caller: Author, name: string): Promise<BranchDto> {
    const { defaultBranch, protectsDefaultBranch } = await this.defaultBranch.get(repositoryId);
    const commit = await this.refs.findBranch(repositoryId, name, caller.id);
    if (commit === undefined) throw new NoResourceError('branch');
    const isDefault = name === defaultBranch;
    if (isDefault && protectsDefaultBranch)
      throw InvalidRequestError.of('name', 'The default branch is protected and cannot be deleted.');
    const update = { ref: BRANCHES + name, oldHash: commit, newHash: NO_HASH };
    if (!(await this.pushes.updateRef(repositoryId, caller, update)))
      throw InvalidRequestError.of(
        'name',
        'The branch was pushed to in the meantime and has not been deleted.',
      );
    return { name, commit, isDefault };
  }

  /** Returns whether there are branches below a name. @throws InvalidRequestError when a branch has this name itself */
  private async hasBelow(reading: GitReading, ref: string): Promise<boolean> {
    const text = await this.reader.text(reading, ['for-each-ref', '--count=1', '--format=%(refname)', ref]);
    if (text === ref) throw await this.damagedRefErrorOr(exists(), reading, ref);
    return text !== '';
  }

  /** Returns the error about a ref that is damaged, and therefore not listed; another error for any other ref. */
  private async damagedRefErrorOr(
    error: Error,
    { repositoryId, userId, signal }: GitReading,
    ref: string,
  ): Promise<Error> {
    const { damaged } = requireReadable(await this.refs.read(repositoryId, [ref], { userId, signal }));
    return damaged.includes(ref) ? new GitRefsDamagedError(ref) : error;
  }

  /** Returns the names below a prefix, each with the fields of a format: one page, plus one more row if there is one. */
  private async findRefs(
    reading: GitReading,
    prefix: string,
    format: readonly string[],
    { count, offset }: Slice,
  ): Promise<string[][]> {
    const limit = `--count=${Math.min(offset + count + 1, MAX_COUNT)}`;
    try {
      return (await this.readRefs(reading, prefix, format, [limit, prefix], offset)).slice(0, count + 1);
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      // Git fails for all refs when one is damaged.
      const usable = await this.refs.list(reading.repositoryId, [prefix], reading.userId);
      const names = usable.slice(offset, offset + count + 1).map(({ name }) => name);
      return names.length === 0 ? [] : this.readRefs(reading, prefix, format, names, 0);
    }
  }

  private async readRefs(
    reading: GitReading,
    prefix: string,
    format: readonly string[],
    selection: readonly string[],
    offset: number,
  ): Promise<string[][]> {
    const columns = ['%(refname)', ...format];
    const line = columns.map((column) => `${column}%00`).join('');
    const args = ['for-each-ref', `--format=${line}`, ...selection];
    const rows: string[][] = [];
    let row: string[] = [];
    let index = 0;
    for await (const { text } of this.reader.fields(reading, args, { maxBytes: MAX_MESSAGE })) {
      // A line break ends the previous row.
      row.push(row.length === 0 ? text.replace(/^\n/, '').slice(prefix.length) : text);
      if (row.length < columns.length) continue;
      if (index++ >= offset) rows.push(row);
      row = [];
    }
    return rows;
  }
}

/** The largest number that git accepts. */
const MAX_COUNT = 2 ** 31 - 1;

const TAG_FIELDS = [
  '%(objectname)',
  '%(objecttype)',
  '%(*objectname)',
  '%(*objecttype)',
  '%(taggername)',
  '%(taggeremail:trim)',
  '%(taggerdate:unix)',
  '%(contents)',
];

function toTagDto([name = '', hash = '', type, peeled = '', peeledType, ...tagged]: string[]): TagDto {
  const [tagger = '', mailAddress = '', time = '', message = ''] = tagged;
  const isAnnotated = type === 'tag';
  return {
    name,
    commit: type === 'commit' ? hash : peeledType === 'commit' ? peeled : null,
    message: isAnnotated ? withoutLastBreaks(message) : null,
    tagger: isAnnotated && time !== '' ? toCommitPerson(tagger, mailAddress, time) : null,
  };
}

/** Returns the branches whose names would be folders in the name of a branch. */
function parentsOf(ref: string): string[] {
  const parts = ref.slice(BRANCHES.length).split('/');
  return parts.slice(1).map((_part, index) => BRANCHES + parts.slice(0, index + 1).join('/'));
}

const exists = (): InvalidRequestError =>
  InvalidRequestError.of('name', 'The repository already has a branch with this name.');

const nameConflictError = (): InvalidRequestError =>
  InvalidRequestError.of('name', 'The name conflicts with another branch: a and a/b cannot both exist.');
