import { Injectable } from '@nestjs/common';
import { NoResourceError } from '../../errors/domain-errors';
import { DefaultBranchService } from '../default-branch.service';
import { BRANCHES } from '../refs/git-refs.service';
import { type GitReading, GitReaderService } from './git-reader.service';

/** What the error of a missing ref calls it. */
export const A_REF = 'branch, tag or commit';

/** The commits that requests name. */
@Injectable()
export class NamedCommitService {
  constructor(
    private readonly branches: DefaultBranchService,
    private readonly reader: GitReaderService,
  ) {}

  /**
   * The commit that a ref stands for, or the default branch where none is given; undefined when that has no commit yet.
   * @throws NoResourceError when there is no such ref
   */
  async find(reading: GitReading, ref: string | undefined): Promise<string | undefined> {
    const { defaultBranch } = await this.branches.get(reading.repositoryId);
    if (ref === undefined) return this.reader.findCommit(reading, BRANCHES + defaultBranch);
    const commit = await this.reader.findCommit(reading, ref);
    // In an empty repository, its default branch is there without a commit.
    if (commit === undefined && ref !== defaultBranch) throw new NoResourceError(A_REF);
    return commit;
  }
}
