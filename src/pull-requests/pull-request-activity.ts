import {
  type ActivityContents,
  type IssueHead,
  type RepositoryContent,
} from '../activities/activity-content';
import { type ActivityType } from '../activities/activity-type';
import { type PullRequestRow } from './data/pull-request.repository';

type Content = ActivityContents[ActivityType.PullRequestUpdated];

/** What an activity about a pull request contains besides the pull request's own row. */
export interface PullRequestActivityParts extends Pick<Content, 'comment' | 'changes' | 'assignee'> {
  repository: RepositoryContent;
  issue: IssueHead | null;
}

/** Content of the activities about a pull request (18, 19 and 20), under the family's names. */
export const pullRequestActivity = (
  row: PullRequestRow,
  { comment, changes, issue, assignee, repository }: PullRequestActivityParts,
): Content => ({
  id: row.id,
  number: row.number,
  summary: row.summary,
  description: row.description,
  base: row.base,
  branch: row.branch,
  diff: null,
  comment,
  changes,
  issue,
  assignee,
  repository,
});
