import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { selectItems, type SelectedItem } from '../../custom-fields/data/custom-field-sql';
import { type CustomValue, isNoValue, NO_CUSTOM_VALUE } from '../../custom-fields/custom-value';
import { type CustomFieldItemDto } from '../../custom-fields/dto/custom-field.dto';
import { fromStored, toStored } from '../../custom-fields/numbers';
import { insertRows } from '../../database/sql/rows';
import { type Select, selectTogether } from '../../database/sql/select-together';
import { removeInSlices } from '../../database/sql/slices';
import { type EntityRunner, inList } from '../../database/sql/statements';
import { IssueCustomFieldItem } from '../entities/issue-custom-field-item.entity';
import { IssueCustomField } from '../entities/issue-custom-field.entity';

const KEYS = [
  'issueId',
  'customFieldId',
  'textValue',
  'numberValue',
  'dateValue',
  'otherValue',
] as const satisfies readonly (keyof IssueCustomField)[];

type ValueRow = Pick<IssueCustomField, (typeof KEYS)[number]>;

/** Number of characters of a text that are used for sorting. */
const KEY_LENGTH = 100;

/** A value with its items as responses show them. */
export interface StoredCustomValue extends CustomValue {
  items: CustomFieldItemDto[];
}

/** The values of an issue by custom field id; fields without a value are absent. */
export type IssueCustomValues = ReadonlyMap<number, StoredCustomValue>;

/** A value changed by a request. */
export interface CustomValueChange {
  customFieldId: number;
  before: CustomValue;
  after: CustomValue;
}

/** Stores the values of custom fields in issues. */
@Injectable()
export class IssueCustomFieldRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the values of issues by issue id, in one query. */
  async findByIssueIds(
    issueIds: readonly number[],
    runner: EntityRunner = this.dataSource,
  ): Promise<Map<number, IssueCustomValues>> {
    const { values, items } = await selectTogether(runner, selectValues(issueIds));
    return toCustomValues(values, items);
  }

  /**
   * Writes changes of an issue that the transaction has locked or added. The number of statements does not depend on the number of changes.
   */
  async write(manager: EntityManager, issueId: number, changes: readonly CustomValueChange[]): Promise<void> {
    await this.removeValues(
      manager,
      issueId,
      changes.filter(({ before }) => hasRow(before)).map(({ customFieldId }) => customFieldId),
    );
    const rows = changes.filter(({ after }) => hasRow(after)).map((change) => toRow(issueId, change));
    if (rows.length > 0) await insertRows(manager, IssueCustomField, rows);
    const removed = changes.flatMap(({ before, after }) => missing(before.itemIds, after.itemIds));
    const added = changes.flatMap(({ before, after }) => missing(after.itemIds, before.itemIds));
    if (removed.length > 0) {
      const list = inList(removed);
      await manager.query(`DELETE FROM issue_custom_field_item WHERE issue_id = ? AND item_id ${list.sql}`, [
        issueId,
        ...list.parameters,
      ]);
    }
    if (added.length === 0) return;
    await insertRows(
      manager,
      IssueCustomFieldItem,
      added.map((itemId) => ({ issueId, itemId })),
    );
  }

  /** Removes the values of a field from all issues, except items. */
  removeOfField(manager: EntityManager, fieldId: number): Promise<void> {
    return removeInSlices(manager, 'issue_custom_field', 'custom_field_id', [fieldId]);
  }

  /** Removes items of a field from all issues. */
  removeItems(manager: EntityManager, itemIds: readonly number[]): Promise<void> {
    return removeInSlices(manager, 'issue_custom_field_item', 'item_id', itemIds);
  }

  private async removeValues(manager: EntityManager, issueId: number, fieldIds: number[]): Promise<void> {
    if (fieldIds.length === 0) return;
    const list = inList(fieldIds);
    await manager.query(`DELETE FROM issue_custom_field WHERE issue_id = ? AND custom_field_id ${list.sql}`, [
      issueId,
      ...list.parameters,
    ]);
  }
}

/** Selects the values of issues, and their items apart. */
export const selectValues = (
  ids: readonly number[],
): { values: Select<ValueRow>; items: Select<SelectedItem> } => ({
  values: {
    alias: 'v',
    keys: KEYS,
    from: 'issue_custom_field v',
    column: 'v.issue_id',
    ids,
  },
  items: selectItems('issue_custom_field_item', ids),
});

/** Returns the values in such rows by issue id. */
export function toCustomValues(
  rows: readonly ValueRow[],
  items: readonly SelectedItem[],
): Map<number, IssueCustomValues> {
  const values = new Map<number, Map<number, StoredCustomValue>>();
  for (const { issueId, customFieldId, ...row } of rows) {
    valuesOf(values, issueId).set(customFieldId, {
      ...NO_CUSTOM_VALUE,
      text: row.textValue,
      number: row.numberValue === null ? null : fromStored(row.numberValue),
      date: row.dateValue,
      other: row.otherValue,
      items: [],
    });
  }
  for (const { issueId, customFieldId, id, name, displayOrder } of items) {
    const ofIssue = valuesOf(values, issueId);
    const value = ofIssue.get(customFieldId) ?? { ...NO_CUSTOM_VALUE, items: [] };
    value.items.push({ id, name, displayOrder });
    ofIssue.set(customFieldId, value);
  }
  for (const ofIssue of values.values()) {
    for (const value of ofIssue.values()) {
      value.itemIds = value.items.map(({ id }) => id).sort((one, other) => one - other);
    }
  }
  return values;
}

function valuesOf(
  values: Map<number, Map<number, StoredCustomValue>>,
  issueId: number,
): Map<number, StoredCustomValue> {
  const ofIssue = values.get(issueId) ?? new Map<number, StoredCustomValue>();
  values.set(issueId, ofIssue);
  return ofIssue;
}

/** Whether a value needs its own row; items are stored in a separate table. */
const hasRow = (value: CustomValue): boolean => !isNoValue({ ...value, itemIds: [] });

const toRow = (
  issueId: number,
  { customFieldId, after: { text, number, date, other } }: CustomValueChange,
): Partial<IssueCustomField> => ({
  issueId,
  customFieldId,
  textValue: text,
  textKey: text === null ? null : firstCharacters(text),
  numberValue: number === null ? null : toStored(number),
  dateValue: date,
  otherValue: other,
});

/** Truncates a text to the sort key without splitting a character. */
const firstCharacters = (text: string): string =>
  Array.from(text.slice(0, 2 * KEY_LENGTH))
    .slice(0, KEY_LENGTH)
    .join('')
    .toWellFormed();

const missing = (ids: readonly number[], others: readonly number[]): number[] =>
  ids.filter((id) => !others.includes(id));
