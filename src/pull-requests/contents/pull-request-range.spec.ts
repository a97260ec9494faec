import { PullRequestStatus } from '../pull-request-status';
import { rangeOf } from './pull-request-range';

const BASE = 'refs/heads/main';
const BRANCH = 'refs/heads/feature';
const KEPT = 'refs/pull/7/head';

describe(rangeOf.name, () => {
  const pullRequest = {
    repositoryId: 1,
    number: 7,
    base: 'main',
    branch: 'feature',
    statusId: PullRequestStatus.Open,
    baseCommit: null,
    branchCommit: null,
    mergeCommit: null,
  };

  it.each([
    ['the branches of an open pull request', {}, [BASE, BRANCH, KEPT], { from: BASE, to: BRANCH }],
    ['the kept head of a deleted branch', {}, [BASE, KEPT], { from: BASE, to: KEPT }],
    ['nothing without a base', {}, [BRANCH, KEPT], undefined],
    ['nothing without a branch or a kept head', {}, [BASE], undefined],
    [
      'the recorded commits',
      { baseCommit: 'b', branchCommit: 'h' },
      ['b', 'h', BASE, BRANCH],
      { from: 'b', to: 'h' },
    ],
    [
      'the branches when the recorded commits are gone',
      { baseCommit: 'b', branchCommit: 'h' },
      [BASE, BRANCH],
      { from: BASE, to: BRANCH },
    ],
    [
      'the parents of the merge commit',
      { mergeCommit: 'm', baseCommit: 'b' },
      ['m^1', 'm^2', 'b', BASE, BRANCH],
      { from: 'm^1', to: 'm^2' },
    ],
    [
      'the recorded commits when the merge commit has one parent',
      { mergeCommit: 'm', baseCommit: 'b', branchCommit: 'h' },
      ['m^1', 'b', 'h'],
      { from: 'b', to: 'h' },
    ],
    [
      'the recorded commits when the merge commit merged another commit',
      { mergeCommit: 'm', baseCommit: 'b', branchCommit: 'h' },
      ['m^1', 'm^2', 'b', 'h'],
      { from: 'b', to: 'h' },
    ],
    ['nothing for an invalid branch name', { branch: 'a..b' }, [BASE, 'refs/heads/a..b'], undefined],
  ])('returns %s', async (_what, columns, there, expected) => {
    const find = (revisions: readonly string[]): Promise<(string | undefined)[]> =>
      Promise.resolve(revisions.map((revision) => (there.includes(revision) ? revision : undefined)));
    expect(await rangeOf({ ...pullRequest, ...columns }, find)).toEqual(expected);
  });
});
