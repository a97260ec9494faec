import {
  type ActivityContents,
  type IssueHead,
  type RepositoryContent,
} from '../activities/activity-content';
import { type ActivityType } from '../activities/activity-type';
import { type PullRequestRow } from './data/pull-request.repository';

type Content = ActivityContents[ActivityType.PullRequestUpdated];

/** The parts of an activity about a pull request that are not in the pull request's own row. */
export interface PullRequestActivityParts extends Pick<Content, 'comment' | 'changes' | 'assignee'> {
  repository: RepositoryContent;
  issue: IssueHead | null;
}

/** Returns the content of an activity about a pull request (18, 19 or 20), under the family's names. */
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
