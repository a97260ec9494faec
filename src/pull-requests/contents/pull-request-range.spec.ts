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
    ['its branches', {}, [BASE, BRANCH, KEPT], { from: BASE, to: BRANCH }],
    ['what is kept of a branch that is gone', {}, [BASE, KEPT], { from: BASE, to: KEPT }],
    ['nothing without a base', {}, [BRANCH, KEPT], undefined],
    ['nothing without a branch', {}, [BASE], undefined],
    [
      'what was written down',
      { baseCommit: 'b', branchCommit: 'h' },
      ['b', 'h', BASE, BRANCH],
      { from: 'b', to: 'h' },
    ],
    [
      'its branches where that is gone',
      { baseCommit: 'b', branchCommit: 'h' },
      [BASE, BRANCH],
      { from: BASE, to: BRANCH },
    ],
    [
      'the parents of its merge',
      { mergeCommit: 'm', baseCommit: 'b' },
      ['m^1', 'm^2', 'b', BASE, BRANCH],
      { from: 'm^1', to: 'm^2' },
    ],
    [
      'what was written down where nothing was merged by a commit',
      { mergeCommit: 'm', baseCommit: 'b', branchCommit: 'h' },
      ['m^1', 'b', 'h'],
      { from: 'b', to: 'h' },
    ],
    [
      'what was written down where the merge commit has merged something else',
      { mergeCommit: 'm', baseCommit: 'b', branchCommit: 'h' },
      ['m^1', 'm^2', 'b', 'h'],
      { from: 'b', to: 'h' },
    ],
    ['nothing by a name that is none', { branch: 'a..b' }, [BASE, 'refs/heads/a..b'], undefined],
  ])('is %s', async (_what, columns, there, expected) => {
    const find = (revisions: readonly string[]): Promise<(string | undefined)[]> =>
      Promise.resolve(revisions.map((revision) => (there.includes(revision) ? revision : undefined)));
    expect(await rangeOf({ ...pullRequest, ...columns }, find)).toEqual(expected);
  });
});
