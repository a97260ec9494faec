import { Injectable } from '@nestjs/common';
import { type AuthorizedSearcher } from '../../access/access';
import { type Caller } from '../../access/caller';
import { type CountDto } from '../../http/response/count.dto';
import { Page } from '../../paging/page';
import { SettingsLookupService } from '../../project-settings/settings-lookup.service';
import { type IssueCriteria, IssueSearchRepository } from '../data/issue-search.repository';
import { type IssueLineDto } from '../dto/issue-line.dto';
import { type IssueDto } from '../dto/issue.dto';
import { type ListIssuesQuery } from '../dto/issue-queries.dto';
import { IssueCustomFieldSearchService } from '../custom-fields/issue-custom-field-search.service';
import { IssueReaderService } from '../issue-reader.service';
import { wordsOf } from './search-words';

/** Lists and counts issues. */
@Injectable()
export class IssueSearchService {
  constructor(
    private readonly searches: IssueSearchRepository,
    private readonly settings: SettingsLookupService,
    private readonly reader: IssueReaderService,
    private readonly customFields: IssueCustomFieldSearchService,
  ) {}

  /**
   * Returns one page of the issues that match a query and that the caller can see.
   * @throws the guard's error when the caller loses their permissions during the search
   */
  list(caller: Caller, query: ListIssuesQuery, searcher: AuthorizedSearcher): Promise<Page<IssueDto>> {
    const withChildren = query.expand.includes('childIssueSummary');
    return this.read(caller, query, searcher, (ids) => this.reader.findByIds(ids, { withChildren }));
  }

  /** Returns what a list shows of the same issues, which takes a fraction of the time where they have long texts. */
  listLines(
    caller: Caller,
    query: ListIssuesQuery,
    searcher: AuthorizedSearcher,
  ): Promise<Page<IssueLineDto>> {
    return this.read(caller, query, searcher, (ids) => this.reader.findLines(ids));
  }

  private async read<Issue extends Pick<IssueDto, 'projectId'>>(
    caller: Caller,
    query: ListIssuesQuery,
    searcher: AuthorizedSearcher,
    readIssues: (ids: readonly number[]) => Promise<Issue[]>,
  ): Promise<Page<Issue>> {
    const criteria = await this.criteriaOf(caller, query, query.sort);
    if (!criteria) return new Page<Issue>([]);
    const search = this.searches.prepare(criteria, searcher);
    const { items: ids, next } = await this.searches.findPage(search, query);
    searcher.signal.throwIfAborted();
    const issues = await readIssues(ids);
    return new Page(search.isLong ? await this.filterVisible(issues, query, searcher) : issues, next);
  }

  /**
   * Returns the total number of issues that match a query and that the caller can see.
   * @throws the guard's error when the caller loses their permissions during the search
   */
  async count(caller: Caller, query: ListIssuesQuery, searcher: AuthorizedSearcher): Promise<CountDto> {
    const criteria = await this.criteriaOf(caller, query);
    if (!criteria) return { count: 0 };
    const search = this.searches.prepare(criteria, searcher);
    const count = await this.searches.count(search);
    if (search.isLong) await searcher.authorizeAgain();
    return { count };
  }

  /** Returns the issues in projects that the caller can still see. */
  private async filterVisible<Issue extends Pick<IssueDto, 'projectId'>>(
    issues: Issue[],
    query: ListIssuesQuery,
    searcher: AuthorizedSearcher,
  ): Promise<Issue[]> {
    const scope = await this.searches.findScope(await searcher.authorizeAgain(), query.projectId);
    return issues.filter(({ projectId }) =>
      'only' in scope ? scope.only.includes(projectId) : !scope.except.includes(projectId),
    );
  }

  /** Builds the criteria of a search; undefined when nothing can match. */
  private async criteriaOf(
    caller: Caller,
    query: ListIssuesQuery,
    sort?: ListIssuesQuery['sort'],
  ): Promise<IssueCriteria | undefined> {
    const words = wordsOf('keyword', query.keyword);
    const scope = await this.searches.findScope(caller, query.projectId);
    const custom = await this.customFields.resolve(query.customFields, query.sort, scope);
    if ('only' in scope && scope.only.length === 0) return undefined;
    if (query.statusId.length === 0) return { scope, query, words, custom, sort };
    const projectIds = 'only' in scope ? scope.only : 'all';
    const statusIds = await this.settings.statusRowIds(query.statusId, projectIds);
    return statusIds.length === 0 ? undefined : { scope, query, statusIds, words, custom, sort };
  }
}
