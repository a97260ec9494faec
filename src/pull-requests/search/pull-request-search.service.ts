import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Conditions } from '../../database/conditions';
import { countRows, offsetPage } from '../../database/list-page';
import { Page } from '../../paging/page';
import { type ListPullRequestsQuery, type PullRequestFilter } from '../dto/pull-request-queries.dto';
import { type PullRequestDto } from '../dto/pull-request.dto';
import { PullRequestReaderService } from '../pull-request-reader.service';

const FROM = 'pull_request q';

/** Finds the pull requests of a repository. */
@Injectable()
export class PullRequestSearchService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly reader: PullRequestReaderService,
  ) {}

  /** One page, newest first unless asked for otherwise. */
  async list(repositoryId: number, query: ListPullRequestsQuery): Promise<Page<PullRequestDto>> {
    // Ids alone at first: they are in the index that the numbers are in, so that rows which are skipped are not read.
    const source = { select: 'q.id AS id', from: FROM, conditions: conditionsOf(repositoryId, query) };
    const orderBy = `q.number ${query.order === 'asc' ? 'ASC' : 'DESC'}`;
    const { items, next } = await offsetPage<{ id: number }>(this.dataSource, source, query, orderBy);
    return new Page(await this.reader.list(items.map(({ id }) => id)), next);
  }

  /** How many there are. */
  async count(repositoryId: number, filter: PullRequestFilter): Promise<{ count: number }> {
    const conditions = conditionsOf(repositoryId, filter);
    return { count: await countRows(this.dataSource, { from: FROM, conditions }) };
  }
}

const conditionsOf = (repositoryId: number, filter: PullRequestFilter): Conditions =>
  new Conditions()
    .add('q.repository_id = ?', repositoryId)
    .inIfAny('q.status_id', filter.statusId)
    .inIfAny('q.assignee_id', filter.assigneeId)
    .inIfAny('q.issue_id', filter.issueId)
    .inIfAny('q.created_user_id', filter.createdUserId);
