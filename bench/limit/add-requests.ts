import { type LoadRequest } from '../support/load';
import { BASE_PATH } from '../support/processes';
import { ISSUES, PROJECT_KEY, type Seeded } from '../support/seed';

const ADDITIONS = 60;
const NOTIFIED = 3;

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
