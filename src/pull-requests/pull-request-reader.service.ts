import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AttachmentLinksService } from '../attachments/attachment-links.service';
import { StarsService } from '../comments/stars.service';
import { inList, selectForUpdate } from '../database/statements';
import { NoResourceError } from '../errors/domain-errors';
import { IssuesService } from '../issues/issues.service';
import { UsersService } from '../users/users.service';
import { type PullRequestDto } from './dto/pull-request.dto';
import { PULL_REQUEST_FILES } from './attachments/pull-request-files';
import { PULL_REQUEST_COLUMNS, type PullRequestRow, toPullRequestDto } from './pull-request.mapper';

/** Pull requests as the wire shows them, in a constant number of queries. */
@Injectable()
export class PullRequestReaderService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly users: UsersService,
    private readonly issues: IssuesService,
    private readonly attachments: AttachmentLinksService,
    private readonly stars: StarsService,
  ) {}

  /**
   * One pull request.
   * @throws NoResourceError
   */
  async get(id: number): Promise<PullRequestDto> {
    const [pullRequest] = await this.list([id]);
    if (!pullRequest) throw new NoResourceError('pull request');
    return pullRequest;
  }

  /** Those that exist, in the order of their ids here. */
  async list(ids: readonly number[]): Promise<PullRequestDto[]> {
    const rows = await this.findRows('id', ids);
    const byId = new Map((await this.toDtos(rows)).map((pullRequest) => [pullRequest.id, pullRequest]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  /** Those of threads, by thread. */
  async findByThreads(threadIds: readonly number[]): Promise<Map<number, PullRequestDto>> {
    const rows = await this.findRows('thread_id', threadIds);
    const pullRequests = await this.toDtos(rows);
    return new Map(rows.map(({ threadId }, index) => [threadId, pullRequests[index] as PullRequestDto]));
  }

  /**
   * Takes the row for this transaction and gives what it is now. Has to be what the transaction reads first.
   * @throws NoResourceError
   */
  async lock(manager: EntityManager, id: number): Promise<PullRequestRow> {
    const [row] = await selectForUpdate<PullRequestRow>(
      manager,
      `SELECT ${PULL_REQUEST_COLUMNS} FROM pull_request q WHERE q.id = ?`,
      [id],
    );
    if (!row) throw new NoResourceError('pull request');
    return row;
  }

  private findRows(column: 'id' | 'thread_id', values: readonly number[]): Promise<PullRequestRow[]> {
    if (values.length === 0) return Promise.resolve([]);
    const list = inList(values);
    return this.dataSource.query<PullRequestRow[]>(
      `SELECT ${PULL_REQUEST_COLUMNS} FROM pull_request q WHERE q.${column} ${list.sql}`,
      list.parameters,
    );
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
