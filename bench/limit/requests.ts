import { type LoadRequest } from '../support/load';
import { BASE_PATH } from '../support/processes';
import { ISSUES, PROJECT_KEY, PULL_REQUESTS, REPOSITORY, type Seeded } from '../support/seed';

const PAGES = 50;
const ADDITIONS = 60;
const NOTIFIED = 3;

/** Lists the comments of one pull request (`docs/protocol.md#list-the-comments-of-a-pull-request`). */
export const listRequest = (number: number, maxId?: number): LoadRequest => ({
  method: 'GET',
  path:
    `${BASE_PATH}/projects/${PROJECT_KEY}/git/repositories/${REPOSITORY}/pullRequests/${number}/comments` +
    `?count=20${maxId === undefined ? '' : `&maxId=${maxId}`}`,
});

/** Lists the large pull request from different places, and the first pages of others. */
export const listRequests = ({ lastCommentId }: Seeded): LoadRequest[] =>
  Array.from({ length: PAGES }, (_, index) =>
    index % 2 === 0
      ? listRequest(1, Math.floor((lastCommentId * (PAGES - index)) / PAGES))
      : listRequest(2 + ((index * 3) % (PULL_REQUESTS - 1))),
  );

/** Adds comments to different issues, each notifying three members (`docs/protocol.md#add-a-comment-to-an-issue`). */
export const addRequests = ({ userIds }: Seeded): LoadRequest[] =>
  Array.from({ length: ADDITIONS }, (_, index) => ({
    method: 'POST',
    path: `${BASE_PATH}/issues/${PROJECT_KEY}-${1 + (index % ISSUES)}/comments`,
    body: JSON.stringify({
      content: `Comment ${index}: fixed on the branch, please look again at the second half of the change.`,
      notifiedUserId: Array.from(
        { length: NOTIFIED },
        (_item, position) => userIds[1 + ((index * NOTIFIED + position) % (userIds.length - 1))],
      ),
    }),
  }));
