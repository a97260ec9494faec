import { type DataSource } from 'typeorm';
import { Conditions } from '../../database/sql/conditions';
import { continuesCondition } from '../../database/sql/contains';
import { groupedPage, type GroupedRows } from '../../database/sql/grouped-page';
import { type Merged, mergedScans } from '../../database/sql/merged-page';
import { isEmbedded, type Sql, type StatementRunner, using } from '../../database/sql/statements';
import { displayOrderOf, settingGroups } from '../../project-settings/data/setting-sql';
import { inScope, projectGroups, type ProjectScope } from '../../projects/data/project-scope';
import { userGroups } from '../../users/data/user-order';
import { type IssueSortKey, type ListIssuesQuery } from '../dto/issue-queries.dto';
import { CHILDREN, FILES, hasNone, type IssueRows, SHARED_FILES } from './issue-filters';

/** Returns the issues of a scope in groups, so that a page in the order of a sort key reads few of them. */
type Grouping = (scope: ProjectScope, dataSource: DataSource) => GroupedRows | undefined;

/** Groups by project, in each of which an index has the issues by a column. */
const byProject =
  (column: string): Grouping =>
  (scope, dataSource) => ({
    groups: projectGroups(scope),
    ids: 'only' in scope ? scope.only : undefined,
    from: `issue i ${using(dataSource, `ix_issue_project_id_${column}`)}`,
    group: 'i.project_id',
    id: 'i.id',
    conditions: conditionsFor(dataSource, 'i.id'),
    sortKey: `i.${column}`,
    isInOrder: true,
  });

/** Groups by a setting that each issue has. A setting belongs to one project, so conditions on the projects are redundant. */
const bySetting =
  (table: 'issue_type' | 'issue_status', column: string): Grouping =>
  (scope, dataSource) => ({
    groups: settingGroups(table, scope),
    from: `issue i ${using(dataSource, `ix_issue_${column}`)}`,
    group: `i.${column}`,
    id: 'i.id',
    conditions: conditionsFor(dataSource, 'i.id'),
    isInOrder: true,
  });

/** Groups by the first of the settings that an issue can have. */
const byFirst =
  (links: string, column: string, table: 'category' | 'version'): Grouping =>
  (scope, dataSource) => {
    const { expression, join } = displayOrderOf(table, `f.${column}`);
    const first = `(SELECT f.${column} FROM ${links} f ${join} WHERE f.issue_id = l.issue_id
      ORDER BY ${expression}, f.${column} LIMIT 1)`;
    return {
      groups: settingGroups(table, scope),
      from: `${links} l ${using(dataSource, `ix_${links}_${column}_issue_id`)}`,
      group: `l.${column}`,
      id: 'l.issue_id',
      conditions: conditionsFor(dataSource, 'l.issue_id').add(`l.${column} = ${first}`),
      isInOrder: true,
      rest: {
        from: 'issue i',
        id: 'i.id',
        conditions: inScope(scope, 'i.project_id')
          .and(conditionsFor(dataSource, 'i.id'))
          .add(hasNone({ table: links, column: 'issue_id' })),
      },
    };
  };

/**
 * Groups by a user, only among all projects: in some of them, a user may have no issues among many.
 * @param index the index on the column; one with a further column has a user's issues in another order
 */
const byUser =
  (column: string, index = `ix_issue_${column}_created`): Grouping =>
  (scope, dataSource) => {
    if ('only' in scope) return undefined;
    const from = `issue i ${using(dataSource, index)}`;
    const conditions = (): Conditions =>
      inScope(scope, 'i.project_id').and(conditionsFor(dataSource, 'i.id'));
    return {
      groups: userGroups(),
      from,
      group: `i.${column}`,
      id: 'i.id',
      conditions: conditions(),
      isInOrder: index === `ix_issue_${column}`,
      rest:
        column === 'assignee_id'
          ? { from, id: 'i.id', conditions: conditions().add(`i.${column} IS NULL`) }
          : undefined,
    };
  };

/** The groupings by sort key. */
const GROUPINGS: Readonly<Partial<Record<string, Grouping>>> = {
  summary: byProject('summary'),
  priority: byProject('priority_id'),
  startDate: byProject('start_date'),
  estimatedHours: byProject('estimated_hours'),
  actualHours: byProject('actual_hours'),
  issueType: bySetting('issue_type', 'issue_type_id'),
  status: bySetting('issue_status', 'status_id'),
  category: byFirst('issue_category', 'category_id', 'category'),
  version: byFirst('issue_version', 'version_id', 'version'),
  milestone: byFirst('issue_milestone', 'version_id', 'version'),
  assignee: byUser('assignee_id'),
  createdUser: byUser('created_user_id'),
  updatedUser: byUser('updated_user_id', 'ix_issue_updated_user_id'),
} satisfies Partial<Record<IssueSortKey, Grouping>>;

/** The rows that a sort key counts. */
const COUNTED: Readonly<Partial<Record<string, IssueRows>>> = {
  attachment: FILES,
  sharedFile: SHARED_FILES,
  childIssue: CHILDREN,
} satisfies Partial<Record<IssueSortKey, IssueRows>>;

/**
 * Reads a page of all issues of a scope without reading all of them, plus one id if there are more.
 * @returns undefined if that is not possible for the sort key and the scope
 */
export function wholePage(
  runner: StatementRunner,
  dataSource: DataSource,
  scope: ProjectScope,
  query: ListIssuesQuery,
): Promise<{ id: number }[] | undefined> {
  const counted = COUNTED[query.sort];
  if (counted && 'except' in scope) {
    const { sql, parameters } = countedPage(counted, scope, dataSource, query);
    return runner.query<({ id: number } & Merged)[]>(sql, parameters);
  }
  const rows = GROUPINGS[query.sort]?.(scope, dataSource);
  return rows ? groupedPage(runner, rows, query) : Promise.resolve(undefined);
}

/**
 * Returns the statement for a page in the order of the number of rows, from the issues with several, with one and without any. Only the first
 * are counted and sorted; an index has the others in order.
 */
function countedPage(
  counted: IssueRows,
  scope: Extract<ProjectScope, { except: unknown }>,
  dataSource: DataSource,
  query: ListIssuesQuery,
): Sql {
  const direction = query.order === 'asc' ? 'ASC' : 'DESC';
  const id = `k.${counted.column}`;
  const inProjects = inScope(scope, 'i.project_id');
  const join = scope.except.length > 0 ? `JOIN issue i ON i.id = ${id}` : '';
  const some = conditionsFor(dataSource, id).add(`${id} > 0`).and(inProjects);
  const none = conditionsFor(dataSource, 'i.id').add(hasNone(counted)).and(inProjects);
  const from = `FROM ${counted.table} k ${join} ${some.where} GROUP BY ${id}`;
  const scans: Sql[] = [
    {
      sql: `SELECT ${id} AS id, COUNT(*) AS sort_key ${from} HAVING COUNT(*) > 1
        ORDER BY sort_key ${direction}, ${id} ${direction}`,
      parameters: some.parameters,
    },
    {
      sql: `SELECT ${id} AS id, 1 AS sort_key ${from} HAVING COUNT(*) = 1 ORDER BY ${id} ${direction}`,
      parameters: some.parameters,
    },
    {
      sql: `SELECT i.id AS id, 0 AS sort_key FROM issue i ${none.where} ORDER BY i.id ${direction}`,
      parameters: none.parameters,
    },
  ];
  return mergedScans(scans, `u.sort_key ${direction}, u.id ${direction}`, query);
}

/** Lets a statement on the embedded database stop early. */
function conditionsFor(dataSource: DataSource, id: string): Conditions {
  const conditions = new Conditions();
  return isEmbedded(dataSource) ? conditions.add(continuesCondition(id)) : conditions;
}
