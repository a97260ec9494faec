import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { groupBy } from '../database/sql/group-by';
import { type EntityRunner } from '../database/sql/statements';
import { type WholeCustomField } from './custom-field.mapper';
import { isListType } from './custom-field-type';
import { CustomFieldIssueTypeRepository } from './data/custom-field-issue-type.repository';
import { type CustomFieldItemRow, CustomFieldItemRepository } from './data/custom-field-item.repository';
import { CustomFieldRepository, type CustomFieldRow } from './data/custom-field.repository';

/** Reads custom fields for this module and others. The number of statements does not depend on the number of fields. */
@Injectable()
export class CustomFieldReaderService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly fields: CustomFieldRepository,
    private readonly items: CustomFieldItemRepository,
    private readonly issueTypes: CustomFieldIssueTypeRepository,
  ) {}

  /** Returns the custom fields of a project, in their order. */
  async listOfProject(projectId: number): Promise<WholeCustomField[]> {
    return this.complete(this.dataSource, await this.fields.listOfProject(projectId));
  }

  /**
   * Locks a custom field for the rest of the transaction, and returns it.
   * @throws NoResourceError when it has been removed
   */
  async lock(manager: EntityManager, id: number): Promise<WholeCustomField> {
    const row = await this.fields.lock(manager, id);
    const [field] = await this.complete(manager, [row]);
    return field as WholeCustomField;
  }

  /** Returns custom fields of any projects by id, for filters and sort orders. */
  async findByIds(ids: readonly number[]): Promise<Map<number, WholeCustomField>> {
    const fields = await this.complete(this.dataSource, await this.fields.findByIds(ids));
    return new Map(fields.map((field) => [field.id, field]));
  }

  /**
   * Returns the current custom fields of a project by id, and locks them until the transaction ends. The transaction must not have read
   * without a lock before.
   * @param withItems ids of the fields whose items are needed
   */
  async lockOfProject(
    manager: EntityManager,
    projectId: number,
    withItems: readonly number[],
  ): Promise<Map<number, WholeCustomField>> {
    const rows = await this.fields.lockOfProject(manager, projectId);
    if (rows.length === 0) return new Map();
    const issueTypes = await this.issueTypes.lockOfFields(
      manager,
      rows.map(({ id }) => id),
    );
    const lists = rows.filter(({ id, typeId }) => isListType(typeId) && withItems.includes(id));
    const items = itemsByField(
      await this.items.lockOfFields(
        manager,
        lists.map(({ id }) => id),
      ),
    );
    return new Map(
      rows.map((row) => [
        row.id,
        { ...row, issueTypeIds: issueTypes.get(row.id) ?? [], items: items.get(row.id) ?? [] },
      ]),
    );
  }

  private async complete(runner: EntityRunner, rows: readonly CustomFieldRow[]): Promise<WholeCustomField[]> {
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const issueTypes = await this.issueTypes.findOfFields(ids, runner);
    const items = itemsByField(await this.items.findOfFields(ids, runner));
    return rows.map((row) => ({
      ...row,
      issueTypeIds: issueTypes.get(row.id) ?? [],
      items: items.get(row.id) ?? [],
    }));
  }
}

const itemsByField = (items: readonly CustomFieldItemRow[]): Map<number, CustomFieldItemRow[]> =>
  groupBy(items, ({ customFieldId }) => customFieldId);
