import { type EntityManager } from 'typeorm';
import { Comment } from '../../src/comments/entities/comment.entity';
import { Notification } from '../../src/comments/entities/notification.entity';
import { Star } from '../../src/comments/entities/star.entity';
import { NotificationReason } from '../../src/comments/notification-reason';
import { GitRepositoriesService } from '../../src/git-repositories/git-repositories.service';
import { IssuesService } from '../../src/issues/issues.service';
import { StandardStatus } from '../../src/project-settings/standard-status';
import { ProjectSettingsService } from '../../src/project-settings/project-settings.service';
import { ProjectsService } from '../../src/projects/projects.service';
import { PullRequestsService } from '../../src/pull-requests/pull-requests.service';
import { WikisService } from '../../src/wikis/wikis.service';
import { type Sizes } from './options';
import { ADMIN_ID, EPOCH, insertAll, type SeedDatabase, SENTENCE, withSeedDatabase } from './seed-database';
import { type Workspace } from './workspace';

export const PROJECT_KEY = 'BENCH';
export const REPOSITORY = 'main';
export const PULL_REQUESTS = 100;
export const ISSUES = 20;
/** Pull requests of the scale scenario, after the others. */
export const SMALL_PULL_REQUEST = PULL_REQUESTS + 1;
export const LARGE_PULL_REQUEST = PULL_REQUESTS + 2;

const COMMENTS_PER_TRANSACTION = 50_000;

/** What was seeded, as far as the scenarios' requests need it. */
export interface Seeded {
  projectId: number;
  userIds: number[];
  /** Highest comment id of the scenarios against the limit. */
  lastCommentId: number;
  threadIds: Map<number, number>;
}

/** Fills a database with one project, through the application's services; comments are inserted in bulk. */
export class Seeder {
  private nextCommentId = 1;

  constructor(private readonly database: SeedDatabase) {}

  /**
   * One project with members, issues and pull requests. Half of the comments are in pull request 1, the others evenly in
   * the rest, all interleaved; every tenth comment of each has a star and two notifications.
   */
  async seed(sizes: Pick<Sizes, 'comments' | 'users'>): Promise<Seeded> {
    const project = await this.write((manager) => this.seedProject(manager, sizes.users));
    await this.addComments(sizes.comments, project, (index) => {
      const number = index % 2 === 0 ? 1 : 2 + (((index - 1) / 2) % (PULL_REQUESTS - 1));
      return project.threadIds.get(number) as number;
    });
    return { ...project, lastCommentId: this.nextCommentId - 1 };
  }

  /** One pull request with few comments and one with many, otherwise alike; returns the middle comment of each. */
  async seedScale(seeded: Seeded, sizes: Sizes): Promise<{ smallMiddleId: number; largeMiddleId: number }> {
    const [{ next }] = await this.write((manager) =>
      manager.query<[{ next: number }]>('SELECT COALESCE(MAX(id), 0) + 1 AS next FROM comment'),
    );
    this.nextCommentId = next;
    const threadOf = (number: number) => () => seeded.threadIds.get(number) as number;
    await this.addComments(sizes.smallThread, seeded, threadOf(SMALL_PULL_REQUEST));
    await this.addComments(sizes.largeThread, seeded, threadOf(LARGE_PULL_REQUEST));
    return {
      smallMiddleId: next + sizes.smallThread / 2,
      largeMiddleId: next + sizes.smallThread + sizes.largeThread / 2,
    };
  }

  /** Adds what `chaos` also writes to: a wiki page, and comments by the administrator in pull request 1. */
  seedWritable(seeded: Seeded, comments: number): Promise<{ wikiId: number; reviewCommentIds: number[] }> {
    return this.write(async (manager) => {
      const wikiId = await this.service(WikisService).add(manager, {
        projectId: seeded.projectId,
        name: 'Home',
        content: SENTENCE,
        createdUserId: ADMIN_ID,
      });
      const reviewCommentIds = Array.from({ length: comments }, (_, index) => this.nextCommentId + index);
      await insertAll(manager, Comment, reviewCommentIds, (id) => ({
        id,
        threadId: seeded.threadIds.get(1),
        content: SENTENCE,
        changeLog: [],
        createdUserId: ADMIN_ID,
        created: EPOCH,
        updated: EPOCH,
      }));
      return { wikiId, reviewCommentIds };
    });
  }

  private async seedProject(manager: EntityManager, users: number): Promise<Omit<Seeded, 'lastCommentId'>> {
    const projectId = await this.service(ProjectsService).add(manager, {
      projectKey: PROJECT_KEY,
      name: 'Bench',
    });
    const userIds = [ADMIN_ID, ...(await this.database.addUsers(manager, users - 1))];
    for (const userId of userIds) {
      await this.service(ProjectsService).addMember(manager, projectId, userId, false);
    }
    await this.addIssues(manager, projectId);
    const repositoryId = await this.service(GitRepositoriesService).add(manager, {
      projectId,
      name: REPOSITORY,
      description: '',
      createdUserId: ADMIN_ID,
    });
    const threadIds = new Map<number, number>();
    for (let number = 1; number <= LARGE_PULL_REQUEST; number++) {
      const { threadId } = await this.service(PullRequestsService).add(manager, {
        projectId,
        repositoryId,
        summary: `Pull request ${number}`,
        description: SENTENCE,
        base: 'main',
        branch: `feature-${number}`,
        createdUserId: ADMIN_ID,
      });
      threadIds.set(number, threadId);
    }
    return { projectId, userIds, threadIds };
  }

  private async addIssues(manager: EntityManager, projectId: number): Promise<void> {
    const settings = this.service(ProjectSettingsService);
    const issueTypeId = await settings.getFirstIssueTypeId(manager, projectId);
    const statusId = await settings.getStandardStatusId(manager, projectId, StandardStatus.Open);
    for (let number = 1; number <= ISSUES; number++) {
      await this.service(IssuesService).add(manager, {
        projectId,
        issueTypeId,
        statusId,
        summary: `Issue ${number}`,
        description: SENTENCE.repeat(3),
        createdUserId: ADMIN_ID,
      });
    }
  }

  /** @param threadOf the thread of the comment with an index */
  private async addComments(
    count: number,
    { projectId, userIds }: Pick<Seeded, 'projectId' | 'userIds'>,
    threadOf: (index: number) => number,
  ): Promise<void> {
    const firstId = this.nextCommentId;
    const userAt = (index: number): number => userIds[index % userIds.length] as number;
    for (let start = 0; start < count; start += COMMENTS_PER_TRANSACTION) {
      const length = Math.min(COMMENTS_PER_TRANSACTION, count - start);
      const indexes = Array.from({ length }, (_, offset) => start + offset);
      // Pairs of neighbours, because neighbours are in different pull requests.
      const marked = indexes.filter((index) => Math.floor(index / 2) % 10 === 0);
      await this.write(async (manager) => {
        await insertAll(manager, Comment, indexes, (index) => ({
          id: firstId + index,
          threadId: threadOf(index),
          content: SENTENCE.repeat(1 + (index % 3)),
          changeLog: [],
          createdUserId: userAt(index * 7),
          created: EPOCH + index * 1000,
          updated: EPOCH + index * 1000,
        }));
        await insertAll(manager, Star, marked, (index) => ({
          commentId: firstId + index,
          comment: '',
          url: `/git/${PROJECT_KEY}/${REPOSITORY}/comments/${firstId + index}`,
          title: 'A useful remark',
          presenterId: userAt(index * 11 + 1),
          created: EPOCH + index * 1000,
        }));
        await insertAll(
          manager,
          Notification,
          marked.flatMap((index) => [
            { index, recipient: 2 },
            { index, recipient: 3 },
          ]),
          ({ index, recipient }) => ({
            projectId,
            threadId: threadOf(index),
            commentId: firstId + index,
            senderId: userAt(index * 7),
            userId: userAt(index * 13 + recipient),
            reason: NotificationReason.PullRequestCommented,
            alreadyRead: recipient === 2,
            resourceAlreadyRead: false,
            created: EPOCH + index * 1000,
          }),
        );
      });
    }
    this.nextCommentId = firstId + count;
  }

  private write<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.database.write(work);
  }

  private service<T>(type: new (...dependencies: never[]) => T): T {
    return this.database.service(type);
  }
}

/** Has a workspace's database filled, and closes it. */
export const withSeeder = <T>(
  workspace: Workspace,
  url: string,
  work: (seeder: Seeder) => Promise<T>,
): Promise<T> => withSeedDatabase(workspace, url, (database) => work(new Seeder(database)));
