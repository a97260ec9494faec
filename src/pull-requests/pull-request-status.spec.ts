import { canMove, PULL_REQUEST_STATUSES, PullRequestStatus } from './pull-request-status';

const { Open, Closed, Merged } = PullRequestStatus;

describe('canMove', () => {
  it('allows only closing and merging from Open, and reopening from Closed', () => {
    const moves = PULL_REQUEST_STATUSES.flatMap((from) =>
      PULL_REQUEST_STATUSES.filter((to) => to !== from && canMove(from, to)).map((to) => [from, to]),
    );
    expect(moves).toEqual([
      [Open, Closed],
      [Open, Merged],
      [Closed, Open],
    ]);
  });

  it('allows every status to stay the same', () => {
    expect(PULL_REQUEST_STATUSES.filter((status) => canMove(status, status))).toEqual(PULL_REQUEST_STATUSES);
  });
});
