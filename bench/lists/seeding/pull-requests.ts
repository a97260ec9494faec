import { type EntityManager } from 'typeorm';
import { CommentThread } from '../../../src/comments/entities/comment-thread.entity';
import { Comment } from '../../../src/comments/entities/comment.entity';
import { GitRepositoriesService } from '../../../src/git-repositories/git-repositories.service';
import { PullRequest } from '../../../src/pull-requests/entities/pull-request.entity';
import { PullRequestStatus } from '../../../src/pull-requests/pull-request-status';
import { EPOCH, insertAll, type SeedDatabase, SENTENCE } from '../../support/seed-database';
import { PROJECTS, scatter } from '../population';
import { type Frame, type FrameProject } from './frame';
import { commentId, issueId } from './issues';

export const REPOSITORY = 'main';

const STATUSES = [PullRequestStatus.Open, PullRequestStatus.Closed, PullRequestStatus.Merged];

/** Adds a repository to each project, and the pull requests with their comments, half of all in the first project. */
export function seedPullRequests(database: SeedDatabase, frame: Frame): Promise<void> {
  return database.write(async (manager) => {
    const repositoryIds: number[] = [];
    for (const { id } of frame.projects) {
      repositoryIds.push(
        await database.service(GitRepositoriesService).add(manager, {
          projectId: id,
          name: REPOSITORY,
          description: '',
          createdUserId: frame.population.userId('busy'),
        }),
      );
    }
    await addPullRequests(manager, frame, repositoryIds);
    await addComments(manager, frame);
    await manager.query(
      `UPDATE git_repository SET last_number =
              COALESCE((SELECT MAX(q.number) FROM pull_request q WHERE q.repository_id = git_repository.id), 0)`,
    );
  });
}

export const pullRequestId = (pullRequest: number): number => pullRequest + 1;

/** Thread ids of pull requests follow those of issues. */
export const pullRequestThreadId = ({ population }: Frame, pullRequest: number): number =>
  population.amounts.issues + pullRequest + 1;

async function addPullRequests(manager: EntityManager, frame: Frame, repositoryIds: number[]): Promise<void> {
  const { population, projects } = frame;
  const pullRequests = Array.from({ length: population.amounts.pullRequests }, (_, index) => index);
  const projectOf = (pullRequest: number): FrameProject =>
    projects[population.projectOfPullRequest(pullRequest)] as FrameProject;
  await insertAll(manager, CommentThread, pullRequests, (pullRequest) => ({
    id: pullRequestThreadId(frame, pullRequest),
    projectId: projectOf(pullRequest).id,
  }));
  // Returns an issue of the same project, for some of them its first.
  const issueFor = (pullRequest: number, number: number): number =>
    population.projectOfPullRequest(pullRequest) +
    PROJECTS * (pullRequest % 4 === 0 ? 0 : number % (population.amounts.issues / PROJECTS));
  const lastNumbers = Array<number>(PROJECTS).fill(0);
  await insertAll(manager, PullRequest, pullRequests, (pullRequest) => {
    const project = population.projectOfPullRequest(pullRequest);
    const number = (lastNumbers[project] as number) + 1;
    lastNumbers[project] = number;
    const statusId = STATUSES[scatter(pullRequest, 41) % STATUSES.length] as PullRequestStatus;
    const createdUserId = population.author(project, pullRequest);
    const created = EPOCH + pullRequest * 1000;
    return {
      id: pullRequestId(pullRequest),
      projectId: projectOf(pullRequest).id,
      repositoryId: repositoryIds[project],
      number,
      threadId: pullRequestThreadId(frame, pullRequest),
      summary: `Pull request ${number}`,
      description: SENTENCE,
      base: 'main',
      branch: `feature-${number}`,
      statusId,
      assigneeId: pullRequest % 4 === 2 ? population.userId('busy') : null,
      issueId: pullRequest % 3 === 0 ? issueId(issueFor(pullRequest, number)) : null,
      closeAt: statusId === PullRequestStatus.Closed ? created : null,
      mergeAt: statusId === PullRequestStatus.Merged ? created : null,
      createdUserId,
      created,
      updatedUserId: createdUserId,
      updated: created,
    };
  });
}

async function addComments(manager: EntityManager, frame: Frame): Promise<void> {
  const { population } = frame;
  const { comments: before, pullRequestComments } = population.amounts;
  const comments = Array.from({ length: pullRequestComments }, (_, index) => index);
  await insertAll(manager, Comment, comments, (comment) => {
    const pullRequest = population.pullRequestOfComment(comment);
    const created = EPOCH + comment * 1000;
    return {
      id: commentId(before + comment),
      threadId: pullRequestThreadId(frame, pullRequest),
      content: SENTENCE,
      changeLog: [],
      createdUserId: population.author(population.projectOfPullRequest(pullRequest), comment),
      created,
      updated: created,
    };
  });
}
