import { anId, aTimestamp, userShape } from './shapes';
import { type Person, type ProjectFixture } from './world';

/** Path of the pull requests of a project's repository. */
export const pullRequests = ({
  key,
  repositoryName,
}: Pick<ProjectFixture, 'key' | 'repositoryName'>): string =>
  `/projects/${key}/git/repositories/${repositoryName}/pullRequests`;

/** The required fields of a pull request. */
export const NEW_PULL_REQUEST = {
  summary: 'A change',
  description: 'What it changes',
  base: 'main',
  branch: 'change',
};

/** Matches every field of an open pull request and no other. */
export const pullRequestShape = (
  project: ProjectFixture,
  author: Pick<Person, 'id' | 'name'>,
  fields: { number: number; [field: string]: unknown },
): object => ({
  id: anId,
  projectId: project.id,
  repositoryId: project.repositoryId,
  ...NEW_PULL_REQUEST,
  status: { id: 1, name: 'Open' },
  assignee: null,
  issue: null,
  baseCommit: null,
  branchCommit: null,
  mergeCommit: null,
  closeAt: null,
  mergeAt: null,
  createdUser: userShape(author),
  created: aTimestamp,
  updatedUser: userShape(author),
  updated: aTimestamp,
  attachments: [],
  stars: [],
  ...fields,
});

/** Returns the content of activities about a pull request. */
export const pullRequestContent = (
  project: ProjectFixture,
  fields: { id: number; number: number; [field: string]: unknown },
): object => ({
  ...NEW_PULL_REQUEST,
  diff: null,
  comment: null,
  changes: [],
  issue: null,
  assignee: null,
  repository: { id: project.repositoryId, name: project.repositoryName, description: '' },
  ...fields,
});
