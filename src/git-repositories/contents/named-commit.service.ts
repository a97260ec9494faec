import { Injectable } from '@nestjs/common';
import { NoResourceError } from '../../errors/domain-errors';
import { DefaultBranchService } from '../default-branch.service';
import { BRANCHES } from '../refs/ref-names';
import { type GitReading, GitReaderService } from './git-reader.service';

/** The name of a ref in the error about a missing one. */
export const A_REF = 'branch, tag or commit';

/** Resolves the refs of requests to commits. */
@Injectable()
export class NamedCommitService {
  constructor(
    private readonly branches: DefaultBranchService,
    private readonly reader: GitReaderService,
  ) {}

  /**
   * Returns the commit of a ref, or of the default branch if none is given; undefined when the default branch has no commit yet.
   * @throws NoResourceError when there is no such ref
   */
  async find(reading: GitReading, ref: string | undefined): Promise<string | undefined> {
    const { defaultBranch } = await this.branches.get(reading.repositoryId);
    if (ref === undefined) return this.reader.findCommit(reading, BRANCHES + defaultBranch);
    const commit = await this.reader.findCommit(reading, ref);
    // In an empty repository, the default branch exists without a commit.
    if (commit === undefined && ref !== defaultBranch) throw new NoResourceError(A_REF);
    return commit;
  }
}
