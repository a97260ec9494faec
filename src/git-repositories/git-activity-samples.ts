import { type RepositoryContent } from '../activities/activity-content';
import { ActivityType } from '../activities/activity-type';
import { repository, user } from '../activities/sample-values';

/** A commit in activities of pushes. */
export interface RevisionContent {
  /** The hash of the commit. */
  rev: string;
  /** The commit message; a long one is truncated. */
  comment: string;
  author: { name: string; mailAddress: string };
  /** The author date. */
  created: string;
}

/** A change of a branch or a tag. */
export interface GitPushContent {
  repository: RepositoryContent;
  change_type: 'create' | 'update' | 'delete';
  revision_type: 'commit' | 'tag';
  /** The full name, such as `refs/heads/main`. */
  ref: string;
  /** For a branch, the number of new commits; for a tag, 1 if it points to a commit, otherwise 0. */
  revision_count: number;
  /** The newest of these commits, newest first. */
  revisions: RevisionContent[];
}

const pushed: GitPushContent = {
  repository,
  change_type: 'update',
  ref: 'refs/heads/main',
  revision_type: 'commit',
  revision_count: 1,
  revisions: [
    {
      rev: '0123456789abcdef0123456789abcdef01234567',
      comment: 'A sample commit',
      author: { name: user.name, mailAddress: user.mailAddress },
      created: '2026-01-01T00:00:00Z',
    },
  ],
};

/** Sample content of the activities of repositories. */
export const gitActivities = {
  [ActivityType.GitPushed]: pushed,
  [ActivityType.GitRepositoryCreated]: { repository },
};
