import {
  type ActivityContents,
  type IssueHead,
  type RepositoryContent,
} from '../activities/activity-content';
import { type ActivityType } from '../activities/activity-type';
import { type PullRequestRow } from './pull-request.mapper';

type Content = ActivityContents[ActivityType.PullRequestUpdated];

/** What a pull request's activities tell besides its own row. */
export interface PullRequestActivityParts extends Pick<Content, 'comment' | 'changes' | 'assignee'> {
  repository: RepositoryContent;
  issue: IssueHead | null;
}

/** Content of the activities about a pull request, in the family's names (18, 19 and 20). */
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
