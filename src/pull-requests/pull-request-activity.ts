import { type IssueHead, type RepositoryContent } from '../activities/activity-content';
import { type PullRequestRow } from './data/pull-request.repository';
import { type PullRequestContent } from './pull-requests.manifest';

/** The parts of an activity about a pull request that are not in the pull request's own row. */
export interface PullRequestActivityParts extends Pick<
  PullRequestContent,
  'comment' | 'changes' | 'assignee'
> {
  repository: RepositoryContent;
  issue: IssueHead | null;
}

/** Returns the content of an activity about a pull request (18, 19 or 20), under the family's names. */
export const pullRequestActivity = (
  row: PullRequestRow,
  { comment, changes, issue, assignee, repository }: PullRequestActivityParts,
): PullRequestContent => ({
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
