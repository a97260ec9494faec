import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { attachedFiles } from '../attachments/data/attachment-link.repository';
import { groupBy } from '../database/sql/group-by';
import { selectTogether } from '../database/sql/select-together';
import { NoResourceError } from '../errors/domain-errors';
import { IssuesService } from '../issues/issues.service';
import { starsOfThreads } from '../stars/data/star-sql';
import { userIdsIn } from '../users/user-ids';
import { UsersService } from '../users/users.service';
import { builtAs, withAllUsers, type WithoutUsers } from '../users/without-users';
import { PULL_REQUEST_FILES } from './attachments/pull-request-files';
import { PullRequestRepository, type PullRequestRow } from './data/pull-request.repository';
import { type PullRequestDto } from './dto/pull-request.dto';
import { toPullRequestDto } from './pull-request.mapper';

const PULL_REQUESTS_AT_ONCE = 50;

/** Reads pull requests as responses, in a constant number of queries. */
@Injectable()
export class PullRequestReaderService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly pullRequests: PullRequestRepository,
    private readonly users: UsersService,
    private readonly issues: IssuesService,
  ) {}

  /**
   * Returns a pull request.
   * @throws NoResourceError
   */
  async get(id: number): Promise<PullRequestDto> {
    const [pullRequest] = await this.list([id]);
    if (!pullRequest) throw new NoResourceError('pull request');
    return pullRequest;
  }

  /** Returns the pull requests that exist, in the order of the given ids. */
  async list(ids: readonly number[]): Promise<PullRequestDto[]> {
    const rows = await this.pullRequests.findByIds(ids);
    const byId = new Map(
      (await this.users.complete(await this.read(rows))).map((pullRequest) => [pullRequest.id, pullRequest]),
    );
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  /** Reads the pull requests of threads, by thread. */
  async readByThreads(threadIds: readonly number[]): Promise<WithoutUsers<Map<number, PullRequestDto>>> {
    const rows = await this.pullRequests.findByThreadIds(threadIds);
    return builtAs(
      await this.read(rows),
      (built) => new Map(rows.map(({ threadId }, index) => [threadId, built[index] as PullRequestDto])),
    );
  }

  /** Yields all pull requests of a git repository with their threads, in the order of their numbers. Reads a few at a time. */
  async *eachOfRepository(
    repositoryId: number,
  ): AsyncGenerator<{ threadId: number; pullRequest: PullRequestDto }> {
    for (let number = 1; ;) {
      const rows = await this.pullRequests.findThreadsFrom(repositoryId, number, PULL_REQUESTS_AT_ONCE);
      const last = rows.at(-1);
      if (!last) return;
      const threadIds = rows.map(({ threadId }) => threadId);
      const pullRequests = await this.users.complete(await this.readByThreads(threadIds));
      for (const { threadId } of rows) {
        const pullRequest = pullRequests.get(threadId);
        if (pullRequest) yield { threadId, pullRequest };
      }
      number = last.number + 1;
    }
  }

  /** Reads the parts of pull requests that are not in their rows. */
  private async read(rows: readonly PullRequestRow[]): Promise<WithoutUsers<PullRequestDto[]>> {
    if (rows.length === 0) return withAllUsers([]);
    const ids = rows.map(({ id }) => id);
    const found = await selectTogether(this.dataSource, {
      files: attachedFiles(PULL_REQUEST_FILES, ids),
      stars: starsOfThreads(rows.map(({ threadId }) => threadId)),
    });
    const issues = await this.issues.readByIds([...new Set(rows.flatMap((row) => row.issueId ?? []))]);
    return {
      userIds: [...userIdsIn(rows, found.files, found.stars), ...issues.userIds],
      build: (users) => {
        const parts = {
          users,
          issues: issues.build(users),
          files: groupBy(found.files, ({ ownerId }) => ownerId),
          stars: groupBy(found.stars, ({ threadId }) => threadId),
        };
        return rows.map((row) => toPullRequestDto(row, parts));
      },
    };
  }
}
