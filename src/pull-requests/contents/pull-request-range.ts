import { BRANCHES, isRefName } from '../../git-repositories/refs/ref-names';
import { type PullRequestCommits } from '../data/pull-request.repository';

/** Resolves revisions to commits; undefined for a revision that is not a commit. */
export type CommitFinder = (revisions: readonly string[]) => Promise<(string | undefined)[]>;

/** The commit that a pull request starts from, or is compared with, and its last commit. */
export interface PullRequestRange {
  from: string;
  to: string;
}

/**
 * Returns the range of a pull request: the two parents of its merge commit, if that has two; otherwise the stored heads, or else the
 * current heads of its branches. The head of a deleted branch is kept in `refs/pull`. A merge commit to which the base was only
 * fast-forwarded, or which it already contained, merged something else and is ignored.
 * @returns undefined when one of the two commits does not exist
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

/** A revision that resolves to no commit. */
const NONE = '';

/** Returns the ref of a branch, if its name is valid: a name given without git need not be. */
const branchRef = (branch: string): string => (isRefName(BRANCHES + branch) ? BRANCHES + branch : NONE);
