import { type Select } from '../../database/sql/select-together';
import { type CustomFieldIssueType } from '../entities/custom-field-issue-type.entity';
import { type CustomFieldItem } from '../entities/custom-field-item.entity';
import { type CustomField } from '../entities/custom-field.entity';

/** The columns that issues show of a custom field. */
export type CustomFieldHead = Pick<CustomField, 'id' | 'projectId' | 'name' | 'typeId' | 'displayOrder'>;

/** An issue type to which a custom field is limited. */
export type FieldIssueType = Pick<CustomFieldIssueType, 'customFieldId' | 'issueTypeId'>;

/** An item of a custom field that is selected in an issue. */
export type SelectedItem = Pick<CustomFieldItem, 'id' | 'customFieldId' | 'name' | 'displayOrder'> & {
  issueId: number;
};

/**
 * Returns the condition that a project has custom fields, for statements that read other tables.
 * @param projectId the column with the project's id
 */
export const hasCustomFields = (projectId: string): string =>
  `EXISTS (SELECT 1 FROM custom_field o WHERE o.project_id = ${projectId})`;

/**
 * Returns the join of a custom field item as `o`, with its id, name and position, so that other modules can show it and sort by it.
 * @param id the column with the item's id
 */
export const joinItem = (id: string): string => `JOIN custom_field_item o ON o.id = ${id}`;

/** Selects the custom fields of projects. */
export const selectFields = (ids: readonly number[]): Select<CustomFieldHead> => ({
  alias: 'o',
  keys: ['id', 'projectId', 'name', 'typeId', 'displayOrder'],
  from: 'custom_field o',
  column: 'o.project_id',
  ids,
});

/** Selects the issue types to which custom fields of projects are limited. */
export const selectFieldTypes = (ids: readonly number[]): Select<FieldIssueType> => ({
  alias: 't',
  keys: ['customFieldId', 'issueTypeId'],
  from: 'custom_field_issue_type t JOIN custom_field o ON o.id = t.custom_field_id',
  column: 'o.project_id',
  ids,
});

/**
 * Selects the items of issues.
 * @param table the table with `issue_id` and `item_id`
 */
export const selectItems = (table: string, ids: readonly number[]): Select<SelectedItem> => ({
  alias: 'o',
  keys: ['id', 'customFieldId', 'name', 'displayOrder'],
  others: { issueId: 'l.issue_id' },
  from: `${table} l ${joinItem('l.item_id')}`,
  column: 'l.issue_id',
  ids,
});
