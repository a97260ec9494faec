import { type DataSource } from 'typeorm';
import { joinItem } from '../../custom-fields/data/custom-field-sql';
import { CustomFieldType, isListType, isTextType } from '../../custom-fields/custom-field-type';
import { type WholeCustomField } from '../../custom-fields/custom-field.mapper';
import { toStored } from '../../custom-fields/numbers';
import { Conditions } from '../../database/sql/conditions';
import { contains } from '../../database/sql/contains';
import { inList } from '../../database/sql/statements';

/** A filter on a custom field: all of the words, any of the items, or a value within a bound. */
export type CustomFieldFilter = { field: WholeCustomField } & (
  | { words: readonly string[] }
  | { itemIds: readonly number[] }
  | { min: number | string }
  | { max: number | string }
);

/** The custom field criteria of a search. */
export interface CustomFieldCriteria {
  filters: readonly CustomFieldFilter[];
  /** The field to sort by. */
  sort?: WholeCustomField;
}

/** Whether a filter reads texts. */
export const isTextFilter = (filter: CustomFieldFilter): boolean => 'words' in filter;

/** Adds the conditions of filters on an issue `i`. Values of fields that do not apply to the issue's type are ignored. */
export function addCustomFilters(
  conditions: Conditions,
  filters: readonly CustomFieldFilter[],
  dataSource: DataSource,
): Conditions {
  for (const filter of filters) {
    conditions.and(appliesToType(filter.field));
    addFilter(conditions, filter, dataSource);
  }
  return conditions;
}

/** A source of issue ids, as `i.id`, that a count reads instead of the issues. */
export interface CountedIds {
  from: string;
  fromParameters: readonly unknown[];
  conditions: Conditions;
}

/**
 * Returns the ids to count when there are no conditions other than these filters. It reads only the indexed values, because the issues are
 * scattered over their table. The issue of each value exists and is in the field's project. Undefined where the issue type matters too.
 */
export function countedIds(
  filters: readonly CustomFieldFilter[],
  dataSource: DataSource,
): CountedIds | undefined {
  const [first, ...others] = filters;
  if (!first || filters.some(({ field }) => appliesToType(field).where !== '')) return undefined;
  const { sql, parameters } = matchingIds(first, dataSource);
  return {
    from: `(${sql}) i`,
    fromParameters: parameters,
    conditions: addCustomFilters(new Conditions(), others, dataSource),
  };
}

function addFilter(conditions: Conditions, filter: CustomFieldFilter, dataSource: DataSource): void {
  const { sql, parameters } = matchingIds(filter, dataSource);
  conditions.add(`i.id IN (${sql})`, ...parameters);
}

/** Selects the distinct ids of the issues that match a filter, regardless of their type. */
function matchingIds(
  filter: CustomFieldFilter,
  dataSource: DataSource,
): { sql: string; parameters: readonly unknown[] } {
  const { field } = filter;
  if ('itemIds' in filter) {
    const list = inList(filter.itemIds);
    return {
      sql: `SELECT DISTINCT l.issue_id AS id FROM issue_custom_field_item l ${joinItem('l.item_id')}
          WHERE l.item_id ${list.sql} AND o.custom_field_id = ?`,
      parameters: [...list.parameters, field.id],
    };
  }
  const values = new Conditions().add('v.custom_field_id = ?', field.id);
  if ('words' in filter) {
    for (const word of filter.words) {
      const { sql, parameter } = contains(dataSource, 'v.text_value', word);
      values.add(sql, parameter);
    }
  } else if ('min' in filter) values.add(`v.${valueColumn(field)} >= ?`, stored(filter.min));
  else values.add(`v.${valueColumn(field)} <= ?`, stored(filter.max));
  return {
    sql: `SELECT v.issue_id AS id FROM issue_custom_field v ${values.where}`,
    parameters: values.parameters,
  };
}

const stored = (bound: number | string): number | string =>
  typeof bound === 'number' ? toStored(bound) : bound;

/** Returns the column by which values are filtered and sorted. */
const valueColumn = ({ typeId }: WholeCustomField): string =>
  isTextType(typeId) ? 'text_key' : typeId === CustomFieldType.Numeric ? 'number_value' : 'date_value';

/** Returns the condition that the custom field applies to the type of an issue `i`. */
function appliesToType({ issueTypeIds }: WholeCustomField): Conditions {
  return new Conditions().inIfAny('i.issue_type_id', issueTypeIds);
}

/** Returns the statement for a page sorted by a custom field. Missing values sort below all others. */
export function customSortStatement(
  field: WholeCustomField,
  conditions: Conditions,
  { order, count, offset }: { order: 'asc' | 'desc'; count: number; offset: number },
): { sql: string; parameters: unknown[] } {
  const direction = order === 'asc' ? 'ASC' : 'DESC';
  const page = `LIMIT ${count + 1} OFFSET ${offset}`;
  const rows = `LIMIT ${offset + count + 1}`;
  const fits = appliesToType(field);
  if (isListType(field.typeId)) {
    // Sorts by the first item. The sub-query runs once per issue.
    const first = `(SELECT MIN(o.display_order) FROM issue_custom_field_item l ${joinItem('l.item_id')}
      WHERE l.issue_id = i.id AND o.custom_field_id = ?)`;
    const { sql: isFitting, parameters } = asCondition(fits);
    return {
      sql: `SELECT i.id AS id FROM issue i ${conditions.where}
        ORDER BY CASE WHEN ${isFitting} THEN ${first} END ${direction}, i.id ${direction} ${page}`,
      parameters: [...conditions.parameters, ...parameters, field.id],
    };
  }
  // An index has the values in order, but not the issues without one. So both are read, each in its own order and only as far as needed.
  const column = valueColumn(field);
  const withValue = new Conditions()
    .add('v.custom_field_id = ?', field.id)
    .add(`v.${column} IS NOT NULL`)
    .and(fits)
    .and(conditions);
  const withoutValue = new Conditions().and(conditions).add(
    `NOT EXISTS (SELECT 1 FROM issue_custom_field v
        WHERE v.issue_id = i.id AND v.custom_field_id = ? AND v.${column} IS NOT NULL AND ${asCondition(fits).sql})`,
    field.id,
    ...fits.parameters,
  );
  const branches = [
    `SELECT * FROM (SELECT i.id AS id, 1 AS has_value, v.${column} AS sort_key
       FROM issue_custom_field v JOIN issue i ON i.id = v.issue_id ${withValue.where}
      ORDER BY v.${column} ${direction}, v.issue_id ${direction} ${rows}) a`,
    `SELECT * FROM (SELECT i.id AS id, 0 AS has_value, NULL AS sort_key FROM issue i ${withoutValue.where}
      ORDER BY i.id ${direction} ${rows}) b`,
  ];
  return {
    sql: `SELECT u.id AS id FROM (${branches.join(' UNION ALL ')}) u
      ORDER BY u.has_value ${direction}, u.sort_key ${direction}, u.id ${direction} ${page}`,
    parameters: [...withValue.parameters, ...withoutValue.parameters],
  };
}

const asCondition = (conditions: Conditions): { sql: string; parameters: readonly unknown[] } => ({
  sql: conditions.where.replace(/^WHERE /, '') || '1 = 1',
  parameters: conditions.parameters,
});
