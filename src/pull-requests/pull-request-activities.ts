import {
  type ActivityChange,
  type ActivityComment,
  type ActivityUser,
  type IssueHead,
  type RepositoryContent,
} from '../activities/activity-content';
import { ActivityType } from '../activities/activity-type';
import { comment, repository, statusChange } from '../activities/sample-values';

export interface PullRequestContent {
  id: number;
  number: number;
  summary: string;
  description: string;
  base: string;
  branch: string;
  diff: null;
  comment: ActivityComment | null;
  changes: ActivityChange[];
  issue: IssueHead | null;
  assignee: ActivityUser | null;
  repository: RepositoryContent;
}

const commented: PullRequestContent = {
  id: 1,
  number: 1,
  summary: 'Sample pull request',
  description: '',
  base: 'main',
  branch: 'sample',
  diff: null,
  comment,
  changes: [],
  issue: null,
  assignee: null,
  repository,
};

/** Sample content of the activities of pull requests. */
export const pullRequestActivities = {
  [ActivityType.PullRequestCreated]: { ...commented, comment: null },
  [ActivityType.PullRequestUpdated]: { ...commented, changes: [statusChange] },
  [ActivityType.PullRequestCommented]: commented,
  [ActivityType.PullRequestDeleted]: { ...commented, comment: null },
};
