import { Injectable } from '@nestjs/common';
import { type CountDto } from '../../http/response/count.dto';
import { Page } from '../../paging/page';
import { PullRequestRepository } from '../data/pull-request.repository';
import { type ListPullRequestsQuery, type PullRequestFilter } from '../dto/pull-request-queries.dto';
import { type PullRequestDto } from '../dto/pull-request.dto';
import { PullRequestReaderService } from '../pull-request-reader.service';

/** Finds the pull requests of a git repository. */
@Injectable()
export class PullRequestSearchService {
  constructor(
    private readonly pullRequests: PullRequestRepository,
    private readonly reader: PullRequestReaderService,
  ) {}

  /** Returns one page, newest first unless the query specifies another order. */
  async list(repositoryId: number, query: ListPullRequestsQuery): Promise<Page<PullRequestDto>> {
    const { items, next } = await this.pullRequests.findIds(repositoryId, query);
    return new Page(await this.reader.list(items.map(({ id }) => id)), next);
  }

  /** Returns the number of pull requests that match the filter. */
  async count(repositoryId: number, filter: PullRequestFilter): Promise<CountDto> {
    return { count: await this.pullRequests.count(repositoryId, filter) };
  }
}
