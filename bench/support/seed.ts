import { type EntityManager } from 'typeorm';
import { Comment } from '../../src/comments/entities/comment.entity';
import { SampleProjectsService } from '../../src/first-start/sample-projects.service';
import { Notification } from '../../src/notifications/entities/notification.entity';
import { NotificationReason } from '../../src/notifications/notification-reason';
import { Star } from '../../src/stars/entities/star.entity';
import { WikisService } from '../../src/wikis/wikis.service';
import { type Sizes } from './options';
import { ADMIN_ID, EPOCH, insertAll, type SeedDatabase, SENTENCE, withSeedDatabase } from './seed-database';
import { type Workspace } from './workspace';

export const PROJECT_KEY = 'BENCH';
export const REPOSITORY = 'main';
export const PULL_REQUESTS = 100;
export const ISSUES = 20;
/** Pull requests of the scale scenario, numbered after the others. */
export const SMALL_PULL_REQUEST = PULL_REQUESTS + 1;
export const LARGE_PULL_REQUEST = PULL_REQUESTS + 2;

const COMMENTS_PER_TRANSACTION = 50_000;

/** The seeded values that the scenarios' requests need. */
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
   * Adds one project with members, issues and pull requests. Half of the comments are in pull request 1, the others evenly in the
   * rest, all interleaved; every tenth comment of each has a star and two notifications.
   */
  async seed(sizes: Pick<Sizes, 'comments' | 'users'>): Promise<Seeded> {
    const project = await this.write((manager) => this.seedProject(manager, sizes.users));
    await this.addComments(sizes.comments, project, (index) => {
      const number = index % 2 === 0 ? 1 : 2 + (((index - 1) / 2) % (PULL_REQUESTS - 1));
      return project.threadIds.get(number) as number;
    });
    return { ...project, lastCommentId: this.nextCommentId - 1 };
  }

  /** Adds one pull request with few comments and one with many, otherwise alike; returns the middle comment of each. */
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

  /** Adds the other targets of `chaos`: wiki pages, and comments by the administrator in pull request 1. */
  seedWritable(
    { projectId, ...seeded }: Seeded,
    { comments, wikiPages }: { comments: number; wikiPages: number },
  ): Promise<{ reviewCommentIds: number[]; wikiIds: number[] }> {
    return this.write(async (manager) => {
      const wikiIds: number[] = [];
      while (wikiIds.length < wikiPages) {
        const name = `Page ${wikiIds.length}`;
        const page = { projectId, name, content: SENTENCE, createdUserId: ADMIN_ID };
        wikiIds.push(await this.service(WikisService).add(manager, page));
      }
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
      return { reviewCommentIds, wikiIds };
    });
  }

  private async seedProject(manager: EntityManager, users: number): Promise<Omit<Seeded, 'lastCommentId'>> {
    const userIds = [ADMIN_ID, ...(await this.database.addUsers(manager, users - 1))];
    const samples = this.service(SampleProjectsService);
    const sample = await samples.add(manager, {
      projectKey: PROJECT_KEY,
      name: 'Bench',
      members: userIds.map((userId) => ({ userId, isProjectAdministrator: false })),
      issue: issueOf(1),
      repository: { name: REPOSITORY, createdUserId: ADMIN_ID },
      pullRequest: pullRequestOf(1),
      wiki: { name: 'Home', content: SENTENCE, createdUserId: ADMIN_ID },
    });
    for (let number = 2; number <= ISSUES; number++) {
      await samples.addIssue(manager, sample, issueOf(number));
    }
    const threadIds = new Map([[1, sample.pullRequest.threadId]]);
    for (let number = 2; number <= LARGE_PULL_REQUEST; number++) {
      const { threadId } = await samples.addPullRequest(manager, sample, pullRequestOf(number));
      threadIds.set(number, threadId);
    }
    return { projectId: sample.projectId, userIds, threadIds };
  }

  /** @param threadOf returns the thread of the comment with an index */
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

const issueOf = (number: number) => ({
  summary: `Issue ${number}`,
  description: SENTENCE.repeat(3),
  createdUserId: ADMIN_ID,
});

const pullRequestOf = (number: number) => ({
  summary: `Pull request ${number}`,
  description: SENTENCE,
  branch: `feature-${number}`,
  createdUserId: ADMIN_ID,
});

/** Opens the database of a workspace for work with a seeder, and closes it afterwards. */
export const withSeeder = <T>(
  workspace: Workspace,
  url: string,
  work: (seeder: Seeder) => Promise<T>,
): Promise<T> => withSeedDatabase(workspace, url, (database) => work(new Seeder(database)));
