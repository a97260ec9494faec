import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { invalidIfDuplicate } from '../../database/connections/database-errors';
import { insertRow, insertRows, selectRow, selectRows, updateRow } from '../../database/sql/rows';
import { type EntityRunner, inList, selectForShare } from '../../database/sql/statements';
import { foldName } from '../../project-settings/fold-name';
import { CustomFieldItem } from '../entities/custom-field-item.entity';

const KEYS = ['id', 'customFieldId', 'name', 'displayOrder'] as const;

/** The columns read of an item. */
export type CustomFieldItemRow = Pick<CustomFieldItem, (typeof KEYS)[number]>;

/** Number of fields whose items one statement reads, so that none returns more rows than a few milliseconds allow. */
const FIELDS_AT_ONCE = 25;

const ITEM_NAME_TAKEN = 'The custom field already has an item with this name.';

/** Stores the items of custom fields. Callers that change items must have locked their field. */
@Injectable()
export class CustomFieldItemRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the items of custom fields, in their order. */
  findOfFields(
    fieldIds: readonly number[],
    runner: EntityRunner = this.dataSource,
  ): Promise<CustomFieldItemRow[]> {
    return inParts(fieldIds, (some) => {
      const list = inList(some);
      const rest = `WHERE custom_field_id ${list.sql} ORDER BY display_order, id`;
      return selectRows(runner, CustomFieldItem, KEYS, rest, list.parameters);
    });
  }

  /** Returns the current items of custom fields, locked until the transaction ends. */
  lockOfFields(manager: EntityManager, fieldIds: readonly number[]): Promise<CustomFieldItemRow[]> {
    return inParts(fieldIds, (some) => {
      const list = inList(some);
      return selectForShare<CustomFieldItemRow>(
        manager,
        `SELECT id, custom_field_id AS customFieldId, name, display_order AS displayOrder
           FROM custom_field_item WHERE custom_field_id ${list.sql} ORDER BY display_order, id`,
        list.parameters,
      );
    });
  }

  /** Adds items. Their names must differ from each other and from those of existing items. */
  async insert(
    manager: EntityManager,
    items: readonly Pick<CustomFieldItem, 'customFieldId' | 'name' | 'displayOrder'>[],
  ): Promise<void> {
    if (items.length === 0) return;
    await insertRows(
      manager,
      CustomFieldItem,
      items.map((item) => ({ ...item, nameKey: foldName(item.name) })),
    );
  }

  /**
   * Adds one item.
   * @throws InvalidRequestError when the field has an item with that name
   */
  async insertOne(
    manager: EntityManager,
    item: Pick<CustomFieldItem, 'customFieldId' | 'name' | 'displayOrder'>,
  ): Promise<void> {
    const row = { ...item, nameKey: foldName(item.name) };
    await invalidIfDuplicate(insertRow(manager, CustomFieldItem, row), 'name', ITEM_NAME_TAKEN);
  }

  /**
   * Updates an item.
   * @throws InvalidRequestError when the field has another item with that name
   */
  async update(
    manager: EntityManager,
    id: number,
    changes: Partial<Pick<CustomFieldItem, 'name' | 'displayOrder'>>,
  ): Promise<void> {
    const nameKey = changes.name === undefined ? undefined : foldName(changes.name);
    const written = { ...changes, nameKey };
    await invalidIfDuplicate(updateRow(manager, CustomFieldItem, id, written), 'name', ITEM_NAME_TAKEN);
  }

  async remove(manager: EntityManager, ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    const list = inList(ids);
    await manager.query(`DELETE FROM custom_field_item WHERE id ${list.sql}`, list.parameters);
  }
}

/** Reads the items of some fields at a time. */
async function inParts(
  fieldIds: readonly number[],
  read: (fieldIds: readonly number[]) => Promise<CustomFieldItemRow[]>,
): Promise<CustomFieldItemRow[]> {
  const items: CustomFieldItemRow[] = [];
  for (let start = 0; start < fieldIds.length; start += FIELDS_AT_ONCE) {
    for (const item of await read(fieldIds.slice(start, start + FIELDS_AT_ONCE))) items.push(item);
  }
  return items;
}

/** Returns the id if the custom field has such an item. */
export async function findItemId(
  dataSource: DataSource,
  fieldId: number,
  id: number,
): Promise<number | undefined> {
  const rest = 'WHERE id = ? AND custom_field_id = ?';
  return (await selectRow(dataSource, CustomFieldItem, ['id'], rest, [id, fieldId]))?.id;
}
