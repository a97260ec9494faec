import { canMove, PULL_REQUEST_STATUSES, PullRequestStatus } from './pull-request-status';

const { Open, Closed, Merged } = PullRequestStatus;

describe('a pull request', () => {
  it('may be closed, opened again, and merged while it is open; what is merged stays so', () => {
    const moves = PULL_REQUEST_STATUSES.flatMap((from) =>
      PULL_REQUEST_STATUSES.filter((to) => to !== from && canMove(from, to)).map((to) => [from, to]),
    );
    expect(moves).toEqual([
      [Open, Closed],
      [Open, Merged],
      [Closed, Open],
    ]);
  });

  it('may stay what it is', () => {
    expect(PULL_REQUEST_STATUSES.filter((status) => canMove(status, status))).toEqual(PULL_REQUEST_STATUSES);
  });
});
