import { Conditions } from '../../database/sql/conditions';
import { inList } from '../../database/sql/statements';
import { NONE } from '../../http/request/fields';
import { type ListIssuesQuery, ParentChild } from '../dto/issue-queries.dto';

const DAY_MS = 86_400_000;

const HAS_PARENT = 'i.parent_issue_id IS NOT NULL';
/** The plus sign disables an index in which nearly all issues have the same value and are in no useful order. */
const HAS_NO_PARENT = '+i.parent_issue_id IS NULL';
const HAS_NO_DUE_DATE = '+i.due_date IS NULL';
const NEVER = '1 = 0';

/** Rows that belong to an issue: their table, and its column with the issue's id. */
export interface IssueRows {
  table: string;
  column: string;
}

export const CHILDREN: IssueRows = { table: 'issue', column: 'parent_issue_id' };
export const FILES: IssueRows = { table: 'issue_attachment', column: 'issue_id' };
export const SHARED_FILES: IssueRows = { table: 'issue_shared_file', column: 'issue_id' };

/** Whether an issue `i` has such rows. EXISTS is not used because MariaDB would first collect all of them, although a page shows few issues. */
const hasAny = ({ table, column }: IssueRows): string =>
  `(SELECT k.${column} FROM ${table} k WHERE k.${column} = i.id LIMIT 1) IS NOT NULL`;

export const hasNone = ({ table, column }: IssueRows): string =>
  `(SELECT k.${column} FROM ${table} k WHERE k.${column} = i.id LIMIT 1) IS NULL`;

/** Conditions on an issue `i`. Children have no children, so there are no grandchildren. */
const PARENT_CHILD: Readonly<Record<ParentChild, readonly string[]>> = {
  [ParentChild.All]: [],
  [ParentChild.NotChild]: [HAS_NO_PARENT],
  [ParentChild.ChildOrGrandchild]: [HAS_PARENT],
  [ParentChild.Standalone]: [HAS_NO_PARENT, hasNone(CHILDREN)],
  [ParentChild.HasChildren]: [hasAny(CHILDREN)],
  [ParentChild.Grandchild]: [NEVER],
  [ParentChild.Child]: [HAS_PARENT],
  [ParentChild.TopLevel]: [HAS_NO_PARENT],
  [ParentChild.WithoutGrandchildren]: [],
  [ParentChild.WithoutTopLevel]: [HAS_PARENT],
  [ParentChild.Leaf]: [hasNone(CHILDREN)],
};

/** Adds the conditions of a query on an issue `i`, except those on project, status and texts. */
export function addFilters(conditions: Conditions, query: ListIssuesQuery): Conditions {
  conditions
    .inIfAny('i.id', query.id)
    .inIfAny('i.issue_type_id', query.issueTypeId)
    .inIfAny('i.priority_id', query.priorityId)
    .inIfAny('i.created_user_id', query.createdUserId)
    .inIfAny('i.parent_issue_id', query.parentIssueId);
  addOptional(conditions, 'i.assignee_id', query.assigneeId);
  addOptional(conditions, 'i.resolution_id', query.resolutionId);
  addLinked(conditions, 'issue_category', 'category_id', query.categoryId);
  addLinked(conditions, 'issue_version', 'version_id', query.versionId);
  addLinked(conditions, 'issue_milestone', 'version_id', query.milestoneId);
  for (const condition of PARENT_CHILD[query.parentChild]) conditions.add(condition);
  if (query.attachment !== undefined) conditions.add((query.attachment ? hasAny : hasNone)(FILES));
  if (query.sharedFile !== undefined) conditions.add((query.sharedFile ? hasAny : hasNone)(SHARED_FILES));
  if (query.hasDueDate === false) conditions.add(HAS_NO_DUE_DATE);
  return addDays(conditions, query);
}

/** Requires the column to have one of the values, where `NONE` stands for null. */
function addOptional(conditions: Conditions, column: string, values: readonly number[]): void {
  addAnyOrNone(conditions, values, (list) => `${column} ${list}`, `+${column} IS NULL`);
}

function addLinked(conditions: Conditions, table: string, column: string, values: readonly number[]): void {
  const linked = (list: string): string =>
    `i.id IN (SELECT l.issue_id FROM ${table} l WHERE l.${column} ${list})`;
  addAnyOrNone(conditions, values, linked, hasNone({ table, column: 'issue_id' }));
}

/** @param isIn builds the condition on the ids from an IN list */
function addAnyOrNone(
  conditions: Conditions,
  values: readonly number[],
  isIn: (list: string) => string,
  hasNone: string,
): void {
  const ids = values.filter((value) => value !== NONE);
  const list = inList(ids);
  const alternatives = [
    ...(ids.length > 0 ? [isIn(list.sql)] : []),
    ...(values.includes(NONE) ? [hasNone] : []),
  ];
  if (alternatives.length > 0) conditions.add(`(${alternatives.join(' OR ')})`, ...list.parameters);
}

/** Adds the date conditions. Days are whole days in UTC, including the last one. */
const addDays = (conditions: Conditions, query: ListIssuesQuery): Conditions =>
  conditions
    .addIf(startOf(query.createdSince), 'i.created >= ?')
    .addIf(endOf(query.createdUntil), 'i.created < ?')
    .addIf(startOf(query.updatedSince), 'i.updated >= ?')
    .addIf(endOf(query.updatedUntil), 'i.updated < ?')
    .addIf(query.startDateSince, 'i.start_date >= ?')
    .addIf(query.startDateUntil, 'i.start_date <= ?')
    .and(dueDatesOf(query));

/** Returns the conditions on the due date of an issue `i`. */
const dueDatesOf = (query: ListIssuesQuery): Conditions =>
  new Conditions().addIf(query.dueDateSince, 'i.due_date >= ?').addIf(query.dueDateUntil, 'i.due_date <= ?');

/** Returns the conditions on the due date if a query has these filters and no others. */
export function onlyDueDatesOf(query: ListIssuesQuery): Conditions | undefined {
  const dueDates = dueDatesOf(query);
  if (dueDates.where === '' || addFilters(new Conditions(), query).where !== dueDates.where) return undefined;
  return dueDates;
}

const startOf = (day: string | undefined): number | undefined =>
  day === undefined ? undefined : Date.parse(`${day}T00:00:00Z`);

function endOf(day: string | undefined): number | undefined {
  const start = startOf(day);
  return start === undefined ? undefined : start + DAY_MS;
}
