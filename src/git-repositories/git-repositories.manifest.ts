import { ActivityType } from '../activities/activity-type';
import { limitPerProject } from '../limits/count-limit';
import { type Manifest, PLACED_BY_NUMBER } from '../manifest';
import { textParameter } from '../openapi/path-parameters';
import { GitPush } from './entities/git-push.entity';
import { GitRef } from './entities/git-ref.entity';
import { GitRepository } from './entities/git-repository.entity';
import { RemovedGitRepository } from './entities/removed-git-repository.entity';
import { gitActivities } from './git-activity-samples';
import { MAX_REFS } from './refs/ref-names';

export const gitRepositoriesManifest = {
  entities: [GitPush, GitRef, GitRepository, RemovedGitRepository],
  counters: {
    gitRepository: {
      table: 'git_repository',
      ...PLACED_BY_NUMBER,
      ...limitPerProject('MAX_GIT_REPOSITORIES', 'git repositories'),
    },
  },
  countLimits: {
    gitRef: {
      fixed: MAX_REFS,
      message: (most) => `A git repository can have at most ${most} branches and tags.`,
    },
  },
  diskUsage: { git: { table: 'git_repository', size: 'size' } },
  activities: { [ActivityType.SubversionCommitted]: { rev: 1, comment: 'A sample commit' } },
  developerActivities: gitActivities,
  activityIds: {
    [ActivityType.GitPushed]: { 'repository.id': 'gitRepository' },
    [ActivityType.GitRepositoryCreated]: { 'repository.id': 'gitRepository' },
  },
  tags: {
    'Git repositories':
      'Repositories to clone and push with git, with their branches, commits and files; each has its own pull requests.',
  },
  pathParameters: {
    repoIdOrName: textParameter('git repository', 'Id or name', 'demo'),
    hash: {
      names: 'commit',
      description: 'Hash of the commit, or at least its first seven digits.',
      schema: { type: 'string', pattern: '^[0-9a-fA-F]{7,40}$' },
      example: 'efc3b0ca3aa96af9205553a402189eccadc09aa5',
    },
  },
  archived: {
    gitRepository: { by: ['projectId'], without: ['size'] },
  },
} satisfies Manifest;
