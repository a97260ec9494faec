import { BRANCHES, isRefName } from '../../git-repositories/refs/git-refs.service';
import { type PullRequestCommits } from '../data/pull-request.repository';

/** Finds the commits that revisions stand for; undefined for what is none. */
export type CommitFinder = (revisions: readonly string[]) => Promise<(string | undefined)[]>;

/** The commit that a pull request starts from, or is compared with, and its last. */
export interface PullRequestRange {
  from: string;
  to: string;
}

/**
 * The two commits that a pull request lies between: of one that has been merged by a commit of two parents, these; of any other, the
 * heads that were written down, or else those of its branches now. A branch that is gone has left its head in `refs/pull`. A commit
 * of two parents to which the base was only moved forward, or which it had before, has merged something else.
 * @returns undefined when one of the two is not there
 */
export async function rangeOf(
  pullRequest: PullRequestCommits,
  find: CommitFinder,
): Promise<PullRequestRange | undefined> {
  const { base, branch, number, baseCommit, branchCommit, mergeCommit } = pullRequest;
  const revisions = [
    mergeCommit && `${mergeCommit}^1`,
    mergeCommit && `${mergeCommit}^2`,
    baseCommit,
    branchRef(base),
    branchCommit,
    branchRef(branch),
    `refs/pull/${number}/head`,
  ];
  const [first, second, writtenBase, baseNow, writtenBranch, branchNow, kept] = await find(
    revisions.map((revision) => revision ?? NONE),
  );
  const isOwnMerge = second === (writtenBranch ?? second);
  if (first !== undefined && second !== undefined && isOwnMerge) return { from: first, to: second };
  const from = writtenBase ?? baseNow;
  const to = writtenBranch ?? branchNow ?? kept;
  return from === undefined || to === undefined ? undefined : { from, to };
}

/** A revision that nothing has. */
const NONE = '';

/** A name that was given without git need not be one of a branch. */
const branchRef = (branch: string): string => (isRefName(BRANCHES + branch) ? BRANCHES + branch : NONE);
