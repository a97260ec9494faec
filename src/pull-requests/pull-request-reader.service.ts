import { Injectable } from '@nestjs/common';
import { AttachmentLinksService } from '../attachments/attachment-links.service';
import { NoResourceError } from '../errors/domain-errors';
import { IssuesService } from '../issues/issues.service';
import { StarsService } from '../stars/stars.service';
import { UsersService } from '../users/users.service';
import { PULL_REQUEST_FILES } from './attachments/pull-request-files';
import { PullRequestRepository, type PullRequestRow } from './data/pull-request.repository';
import { type PullRequestDto } from './dto/pull-request.dto';
import { toPullRequestDto } from './pull-request.mapper';

const PULL_REQUESTS_AT_ONCE = 50;

/** Reads pull requests as responses, in a constant number of queries. */
@Injectable()
export class PullRequestReaderService {
  constructor(
    private readonly pullRequests: PullRequestRepository,
    private readonly users: UsersService,
    private readonly issues: IssuesService,
    private readonly attachments: AttachmentLinksService,
    private readonly stars: StarsService,
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
    const byId = new Map((await this.toDtos(rows)).map((pullRequest) => [pullRequest.id, pullRequest]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  /** Returns the pull requests of threads, by thread. */
  async findByThreads(threadIds: readonly number[]): Promise<Map<number, PullRequestDto>> {
    const rows = await this.pullRequests.findByThreadIds(threadIds);
    const pullRequests = await this.toDtos(rows);
    return new Map(rows.map(({ threadId }, index) => [threadId, pullRequests[index] as PullRequestDto]));
  }

  /** Yields all pull requests of a git repository with their threads, in the order of their numbers. Reads a few at a time. */
  async *eachOfRepository(
    repositoryId: number,
  ): AsyncGenerator<{ threadId: number; pullRequest: PullRequestDto }> {
    for (let number = 1; ;) {
      const rows = await this.pullRequests.findThreadsFrom(repositoryId, number, PULL_REQUESTS_AT_ONCE);
      const last = rows.at(-1);
      if (!last) return;
      const pullRequests = await this.findByThreads(rows.map(({ threadId }) => threadId));
      for (const { threadId } of rows) {
        const pullRequest = pullRequests.get(threadId);
        if (pullRequest) yield { threadId, pullRequest };
      }
      number = last.number + 1;
    }
  }

  private async toDtos(rows: readonly PullRequestRow[]): Promise<PullRequestDto[]> {
    if (rows.length === 0) return [];
    const issueIds = rows.flatMap((row) => row.issueId ?? []);
    const parts = {
      attachments: await this.attachments.listByOwners(
        PULL_REQUEST_FILES,
        rows.map((row) => row.id),
      ),
      stars: await this.stars.listByThreads(rows.map((row) => row.threadId)),
      issues: await this.issues.findByIds([...new Set(issueIds)]),
      users: await this.users.findByIds(
        rows.flatMap((row) => [
          row.createdUserId,
          row.updatedUserId,
          ...(row.assigneeId ? [row.assigneeId] : []),
        ]),
      ),
    };
    return rows.map((row) => toPullRequestDto(row, parts));
  }
}
