import { type LoadRequest } from './load';
import { BASE_PATH } from './processes';
import { PROJECT_KEY, PULL_REQUESTS, REPOSITORY, type Seeded } from './seed';

const PAGES = 50;

/** Returns a request for the comments of one pull request (`docs/protocol.md#list-the-comments-of-a-pull-request`). */
export const listRequest = (number: number, maxId?: number): LoadRequest => ({
  method: 'GET',
  path:
    `${BASE_PATH}/projects/${PROJECT_KEY}/git/repositories/${REPOSITORY}/pullRequests/${number}/comments` +
    `?count=20${maxId === undefined ? '' : `&maxId=${maxId}`}`,
});

/** Returns requests for the large pull request from different positions, and for the first pages of others. */
export const listRequests = ({ lastCommentId }: Seeded): LoadRequest[] =>
  Array.from({ length: PAGES }, (_, index) =>
    index % 2 === 0
      ? listRequest(1, Math.floor((lastCommentId * (PAGES - index)) / PAGES))
      : listRequest(2 + ((index * 3) % (PULL_REQUESTS - 1))),
  );
