import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type AuthorizedSearcher } from '../../access/access';
import { hasComment } from '../../comments/thread-text';
import { Conditions } from '../../database/conditions';
import { contains, continuesCondition } from '../../database/contains';
import { keywordSearchRunner, longListsOf } from '../../database/search/searches';
import { countRows } from '../../database/list-page';
import { inList, isEmbedded, type StatementRunner } from '../../database/statements';
import { InvalidRequestError } from '../../errors/domain-errors';
import { type CountDto } from '../../http/response/count.dto';
import { Page, toOffsetPage } from '../../paging/page';
import { isStatus } from '../../project-settings/setting-sql';
import { SettingsLookupService } from '../../project-settings/settings-lookup.service';
import { deletedProjectIds, visibleProjectIds } from '../../projects/visibility';
import { type Caller } from '../../access/caller';
import { RoleType } from '../../access/role-type';
import { type IssueDto } from '../dto/issue.dto';
import { type IssueSortKey, type ListIssuesQuery, MAX_WORDS } from '../dto/issue-queries.dto';
import { addFilters } from './issue-filters';
import { INDEXED_SORTS, pageStatement, type Scope, type Search } from './issue-page-statement';
import { IssueReaderService } from '../issue-reader.service';

/** What is looked for, and how. */
interface IssueSearch extends Search {
  runner: StatementRunner;
  /** It may wait, and take long. */
  isLong: boolean;
}

/** Up to this many ids of statuses are written into the statement. */
const MAX_STATUSES = 200;

/** Lists of issues. */
@Injectable()
export class IssueSearchService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly settings: SettingsLookupService,
    private readonly reader: IssueReaderService,
  ) {}

  /**
   * One page of the issues that a caller may see and a query asks for.
   * @throws what the guard would, when the caller has lost their rights meanwhile
   */
  async list(caller: Caller, query: ListIssuesQuery, searcher: AuthorizedSearcher): Promise<Page<IssueDto>> {
    const search = await this.searchFor(caller, query, searcher, query.sort);
    if (!search) return new Page<IssueDto>([]);
    // The ids first: no engine then carries descriptions through a sort.
    const { sql, parameters } = pageStatement(search, query);
    const ids = await search.runner.query<{ id: number }[]>(sql, parameters);
    searcher.signal.throwIfAborted();
    const { items, next } = toOffsetPage(ids, query);
    const options = { withChildren: query.expand.includes('childIssueSummary') };
    const issues = await this.reader.findByIds(
      items.map(({ id }) => id),
      options,
    );
    return new Page(search.isLong ? await this.stillVisible(issues, query, searcher) : issues, next);
  }

  /**
   * How many issues there are that a caller may see and a query asks for, whatever its page.
   * @throws what the guard would, when the caller has lost their rights meanwhile
   */
  async count(caller: Caller, query: ListIssuesQuery, searcher: AuthorizedSearcher): Promise<CountDto> {
    const search = await this.searchFor(caller, query, searcher);
    if (!search) return { count: 0 };
    const { conditions, runner, isLong } = search;
    const from = `issue i ${this.countingIndex(search)}`;
    const count = await countRows(runner, { from, conditions });
    if (isLong) await searcher.authorizeAgain();
    return { count };
  }

  /** Those issues whose projects the caller sees now. */
  private async stillVisible(
    issues: IssueDto[],
    query: ListIssuesQuery,
    searcher: AuthorizedSearcher,
  ): Promise<IssueDto[]> {
    const scope = await this.scopeOf(await searcher.authorizeAgain(), query.projectId);
    return issues.filter(({ projectId }) =>
      'only' in scope ? scope.only.includes(projectId) : !scope.except.includes(projectId),
    );
  }

  /** MariaDB changes its mind between an index of the projects and reading every issue with its description. */
  private countingIndex({ scope, ofEach }: Search): string {
    if (isEmbedded(this.dataSource) || !ofEach || !('only' in scope)) return '';
    return 'FORCE INDEX (ix_issue_project_id_created)';
  }

  /** Undefined when nothing can be found. */
  private async searchFor(
    caller: Caller,
    query: ListIssuesQuery,
    searcher: AuthorizedSearcher,
    sort?: IssueSortKey,
  ): Promise<IssueSearch | undefined> {
    const words = wordsOf(query);
    const scope = await this.scopeOf(caller, query.projectId);
    if ('only' in scope && scope.only.length === 0) return undefined;
    const statuses = await this.findStatuses(scope, query.statusId);
    if (statuses?.length === 0) return undefined;
    const { conditions, ofEach } = this.placeOf(scope, query.statusId, statuses, sort);
    const { where } = conditions;
    addFilters(conditions, query);
    const isFiltered = conditions.where !== where;
    if (words.length === 0 && !isFiltered && (sort === undefined || INDEXED_SORTS.has(sort))) {
      return { scope, conditions, ofEach, runner: this.dataSource, isLong: false };
    }
    if (words.length === 0) {
      const canEnd = new Conditions();
      if (isEmbedded(this.dataSource)) canEnd.add(continuesCondition('i.id'));
      return {
        scope,
        conditions: conditions.and(canEnd),
        ofEach: isFiltered ? undefined : ofEach?.and(canEnd),
        runner: longListsOf(this.dataSource, searcher),
        isLong: true,
      };
    }
    const inTexts = new Conditions();
    for (const word of words) this.addWord(inTexts, word);
    return {
      scope,
      conditions: conditions.and(inTexts),
      // So that the search ends with the first page of what is found often.
      ofEach: isEmbedded(this.dataSource) && !isFiltered ? ofEach?.and(inTexts) : undefined,
      runner: keywordSearchRunner(this.dataSource, searcher),
      isLong: true,
    };
  }

  private async scopeOf(caller: Caller, projectIds: readonly number[]): Promise<Scope> {
    const wanted = new Set(projectIds);
    const isWanted = (id: number): boolean => wanted.size === 0 || wanted.has(id);
    if (caller.roleType !== RoleType.Administrator) {
      const { sql, parameters } = visibleProjectIds(caller);
      const rows = await this.dataSource.query<{ id: number }[]>(sql, parameters);
      return { only: rows.map(({ id }) => id).filter(isWanted) };
    }
    const rows = await this.dataSource.query<{ id: number }[]>(deletedProjectIds);
    const deleted = rows.map(({ id }) => id);
    return projectIds.length === 0
      ? { except: deleted }
      : { only: projectIds.filter((id) => !deleted.includes(id)) };
  }

  /** The rows of the statuses asked for; undefined when none is. */
  private async findStatuses(scope: Scope, wireIds: readonly number[]): Promise<number[] | undefined> {
    if (wireIds.length === 0) return undefined;
    return this.settings.statusRowIds(wireIds, 'only' in scope ? scope.only : 'all');
  }

  /** Where issues are: in which projects, and in which states. */
  private placeOf(
    scope: Scope,
    wireIds: readonly number[],
    statuses: readonly number[] | undefined,
    sort: IssueSortKey | undefined,
  ): Pick<Search, 'conditions' | 'ofEach'> {
    if (!statuses) return { conditions: inScope(scope), ofEach: new Conditions() };
    if (statuses.length > MAX_STATUSES) {
      // Each project has a row of its own for Open, and a statement takes only so many parameters.
      const { sql, parameters } = isStatus('i.status_id', wireIds);
      return { conditions: inScope(scope).add(sql, ...parameters) };
    }
    if (isEmbedded(this.dataSource) && sort === 'updated') {
      // SQLite does not know how many there are of each status, and would sort all of them. The sign keeps it from their index,
      // so that the one in the wanted order is left.
      const ofEach = new Conditions().in('+i.status_id', statuses);
      return { conditions: inScope(scope).in('+i.status_id', statuses), ofEach };
    }
    // A status is one project's, so that the projects need not be asked for as well.
    const conditions = 'only' in scope ? new Conditions() : inScope(scope);
    return { conditions: conditions.in('i.status_id', statuses) };
  }

  private addWord(conditions: Conditions, word: string): void {
    const { sql: inSummary, parameter } = contains(this.dataSource, 'i.summary', word);
    const { sql: inDescription } = contains(this.dataSource, 'i.description', word);
    const inComment = hasComment('i.thread_id', contains(this.dataSource, 'c.content', word).sql);
    conditions.add(`(${inSummary} OR ${inDescription} OR ${inComment})`, parameter, parameter, parameter);
  }
}

/** Each is looked for in every text, so they may not be many. */
function wordsOf({ keyword = '' }: ListIssuesQuery): string[] {
  const words = new Set(keyword.split(/\s+/u).filter((word) => word !== ''));
  if (words.size > MAX_WORDS) {
    throw InvalidRequestError.of('keyword', `keyword must have at most ${MAX_WORDS} different words.`);
  }
  return [...words];
}

function inScope(scope: Scope): Conditions {
  const conditions = new Conditions();
  if ('only' in scope) return conditions.in('i.project_id', scope.only);
  if (scope.except.length === 0) return conditions;
  const list = inList(scope.except);
  return conditions.add(`i.project_id NOT ${list.sql}`, ...list.parameters);
}
