import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Caller } from '../../access/caller';
import { Conditions } from '../../database/sql/conditions';
import { continuesCondition } from '../../database/sql/contains';
import { countRows } from '../../database/sql/list-page';
import { type Merged } from '../../database/sql/merged-page';
import { type Requester } from '../../event-loop/user-turns';
import { keywordSearch, unindexedListRunner } from '../../database/search/searches';
import { isEmbedded, type StatementRunner, using } from '../../database/sql/statements';
import { Page, toOffsetPage } from '../../paging/page';
import { isStatus } from '../../project-settings/data/setting-sql';
import { findScope, inScope, type ProjectScope } from '../../projects/data/project-scope';
import { ProjectCountersService } from '../../projects/project-counters.service';
import { type ListIssuesQuery } from '../dto/issue-queries.dto';
import {
  addCustomFilters,
  type CountedIds,
  countedIds,
  type CustomFieldCriteria,
  isTextFilter,
} from './issue-custom-field-filters';
import { addFilters, onlyDueDatesOf } from './issue-filters';
import { wholePage } from './issue-groups';
import { IssueKeywordRepository } from './issue-keyword.repository';
import { INDEXED_SORTS, pageStatement, type Search } from './issue-page-statement';
import { hasText } from './issue-texts';

/** The criteria of an issue search. */
export interface IssueCriteria {
  scope: ProjectScope;
  /** The filters. */
  query: ListIssuesQuery;
  /** Row ids of the statuses in the query; undefined for any status. */
  statusIds?: readonly number[];
  /** Words that must each occur in one of the issue's texts. */
  words: readonly string[];
  /** The custom field criteria. */
  custom: CustomFieldCriteria;
  /** The order of the result; undefined for a count. */
  sort?: ListIssuesQuery['sort'];
}

/** A search with its final conditions. */
interface ReadySearch extends Search {
  /** The ids that a count reads, if it need not read the issues. */
  counted?: CountedIds;
  /** Whether it finds all issues of its scope: the counters have their number, and groups of them are in order. */
  isWhole?: boolean;
  /** The conditions on the due date, if it has no others, in all projects. */
  dueDates?: Conditions;
}

/** A search that is ready to run. */
export interface PreparedSearch {
  /** Runs the search once, when a slot is available. */
  run: <T>(work: (search: ReadySearch, runner: StatementRunner) => Promise<T>) => Promise<T>;
  /** Whether the search may wait or take long, so that the caller can lose permissions before it ends. */
  isLong: boolean;
}

/** Maximum number of statuses listed in a statement. */
const MAX_STATUSES = 200;

/** Maximum number of issues in a range of due dates that are read and sorted, rather than all in the order of the list. */
const MAX_SORTED = 5000;

/** Searches for issues. Selects only their ids, so that no engine sorts descriptions. */
@Injectable()
export class IssueSearchRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly keywords: IssueKeywordRepository,
    private readonly counters: ProjectCountersService,
  ) {}

  /** Returns one page of the ids that a search finds. */
  async findPage(search: PreparedSearch, query: ListIssuesQuery): Promise<Page<number>> {
    const rows = await search.run(async (ready, runner) => {
      const page = ready.isWhole && (await wholePage(runner, this.dataSource, ready.scope, query));
      if (page) return page;
      const index = ready.dueDates && (await this.dueDateIndex(ready.dueDates, runner));
      const { sql, parameters } = pageStatement(index ? { ...ready, index } : ready, query);
      return runner.query<({ id: number } & Merged)[]>(sql, parameters);
    });
    const { items, next } = toOffsetPage(rows, query);
    return new Page(
      items.map(({ id }) => id),
      next,
    );
  }

  /** Returns the number of issues that a search finds. */
  count(search: PreparedSearch): Promise<number> {
    return search.run((ready, runner) => {
      const { conditions, counted, scope, isWhole } = ready;
      if (isWhole) return this.counters.sum('issue', scope);
      return countRows(runner, counted ?? { from: `issue i ${this.countingIndex(ready)}`, conditions });
    });
  }

  /**
   * Returns the projects in which a caller can find issues.
   * @param projectIds the requested projects; empty for all
   */
  findScope(caller: Caller, projectIds: readonly number[]): Promise<ProjectScope> {
    return findScope(this.dataSource, caller, projectIds);
  }

  /** Plans a search: its conditions, and the runner that executes it. */
  prepare(criteria: IssueCriteria, searcher: Requester): PreparedSearch {
    const { scope, query, statusIds, words, custom, sort } = criteria;
    const customSort = custom.sort;
    const { conditions, perProject } = this.baseConditions(criteria);
    const { where } = conditions;
    addFilters(conditions, query);
    const hasIssueConditions = statusIds !== undefined || conditions.where !== where;
    addCustomFilters(conditions, custom.filters, this.dataSource);
    const isFiltered = conditions.where !== where;
    const isWhole = words.length === 0 && !isFiltered && statusIds === undefined;
    if (words.length === 0 && !isFiltered && (sort === undefined || INDEXED_SORTS.has(sort))) {
      const search = { scope, conditions, perProject, isWhole };
      return { run: (work) => work(search, this.dataSource), isLong: false };
    }
    if (words.length === 0 && !custom.filters.some(isTextFilter)) {
      const canEnd = new Conditions();
      if (isEmbedded(this.dataSource)) canEnd.add(continuesCondition('i.id'));
      const counted = hasIssueConditions ? undefined : countedIds(custom.filters, this.dataSource);
      counted?.conditions.and(canEnd);
      const search = {
        scope,
        conditions: conditions.and(canEnd),
        counted,
        perProject: isFiltered ? undefined : perProject?.and(canEnd),
        customSort,
        isWhole,
        dueDates:
          'except' in scope && statusIds === undefined && custom.filters.length === 0
            ? onlyDueDatesOf(query)
            : undefined,
      };
      return { run: (work) => work(search, unindexedListRunner(this.dataSource, searcher)), isLong: true };
    }
    const inTexts = new Conditions();
    for (const word of words) {
      const { sql, parameters } = hasText(this.dataSource, word);
      inTexts.add(sql, ...parameters);
    }
    const search = {
      scope,
      conditions: conditions.and(inTexts),
      // Lets a search for frequent words end as soon as the page is full.
      perProject: isEmbedded(this.dataSource) && !isFiltered ? perProject?.and(inTexts) : undefined,
      customSort,
    };
    return {
      run: (work) =>
        keywordSearch(this.dataSource, searcher, async (runner) =>
          work(await this.narrowSearch(search, words, runner), runner),
        ),
      isLong: true,
    };
  }

  /** Restricts the search to the issues that can contain the words, if there are few. */
  private async narrowSearch(
    search: ReadySearch,
    words: readonly string[],
    runner: StatementRunner,
  ): Promise<ReadySearch> {
    const ids = words.length > 0 ? await this.keywords.find(words, runner) : undefined;
    if (!ids) return search;
    return {
      ...search,
      conditions: new Conditions().in('i.id', ids).and(search.conditions),
      perProject: undefined,
      index: isEmbedded(this.dataSource) ? 'NOT INDEXED' : 'FORCE INDEX (PRIMARY)',
    };
  }

  /**
   * Returns the hint for the index on due dates if few issues are in a range. Engines do not know how many are, and would read all issues in
   * the order of the list until they find enough.
   */
  private async dueDateIndex(dueDates: Conditions, runner: StatementRunner): Promise<string | undefined> {
    const index = using(this.dataSource, 'ix_issue_due_date');
    const more = await runner.query<{ id: number }[]>(
      `SELECT i.id AS id FROM issue i ${index} ${dueDates.where} LIMIT 1 OFFSET ${MAX_SORTED}`,
      dueDates.parameters,
    );
    return more.length === 0 ? index : undefined;
  }

  /** Without this index, MariaDB sometimes reads every issue with its description instead of an index on projects. */
  private countingIndex({ scope, perProject, index }: Search): string {
    if (index !== undefined) return index;
    if (isEmbedded(this.dataSource) || !perProject || !('only' in scope)) return '';
    return 'FORCE INDEX (ix_issue_project_id_created)';
  }

  /** Returns the conditions on the project and the status. */
  private baseConditions({
    scope,
    query,
    statusIds,
    sort,
  }: IssueCriteria): Pick<Search, 'conditions' | 'perProject'> {
    if (!statusIds) return { conditions: inScope(scope, 'i.project_id'), perProject: new Conditions() };
    if (statusIds.length > MAX_STATUSES) {
      // Each project has its own row for Open, and the number of parameters of a statement is limited.
      const { sql, parameters } = isStatus('i.status_id', query.statusId);
      return { conditions: inScope(scope, 'i.project_id').add(sql, ...parameters) };
    }
    if (isEmbedded(this.dataSource) && sort === 'updated') {
      // SQLite does not know how frequent a status is, and would sort all issues that have it. The plus sign disables the index on
      // statuses, so that SQLite uses the index with the right order.
      const perProject = new Conditions().in('+i.status_id', statusIds);
      return { conditions: inScope(scope, 'i.project_id').in('+i.status_id', statusIds), perProject };
    }
    // A status belongs to one project, so conditions on the projects are redundant.
    const conditions = 'only' in scope ? new Conditions() : inScope(scope, 'i.project_id');
    return { conditions: conditions.in('i.status_id', statusIds) };
  }
}
