import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { groupBy } from '../../database/sql/group-by';
import { insertRows } from '../../database/sql/rows';
import { inList, selectForShare, type StatementRunner } from '../../database/sql/statements';
import { CustomFieldIssueType } from '../entities/custom-field-issue-type.entity';

/** The issue types of custom fields by field id, in ascending order. Fields that apply to all types are absent. */
export type IssueTypesByField = ReadonlyMap<number, number[]>;

interface Row {
  customFieldId: number;
  issueTypeId: number;
}

/** Stores the issue types of custom fields. */
@Injectable()
export class CustomFieldIssueTypeRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the issue types of custom fields. */
  async findOfFields(
    fieldIds: readonly number[],
    runner: StatementRunner = this.dataSource,
  ): Promise<IssueTypesByField> {
    const { sql, parameters } = selectOf(fieldIds);
    return byField(await runner.query<Row[]>(sql, parameters));
  }

  /** Returns the current issue types of custom fields, locked until the transaction ends. */
  async lockOfFields(manager: EntityManager, fieldIds: readonly number[]): Promise<IssueTypesByField> {
    const { sql, parameters } = selectOf(fieldIds);
    return byField(await selectForShare<Row>(manager, sql, parameters));
  }

  /** Replaces the issue types of a custom field. */
  async replace(
    manager: EntityManager,
    customFieldId: number,
    issueTypeIds: readonly number[],
  ): Promise<void> {
    await manager.query('DELETE FROM custom_field_issue_type WHERE custom_field_id = ?', [customFieldId]);
    if (issueTypeIds.length === 0) return;
    await insertRows(
      manager,
      CustomFieldIssueType,
      issueTypeIds.map((issueTypeId) => ({ customFieldId, issueTypeId })),
    );
  }

  /** Moves the custom fields of an issue type to another type. */
  async replaceIssueType(manager: EntityManager, from: number, to: number): Promise<void> {
    await manager.query(
      `INSERT INTO custom_field_issue_type (custom_field_id, issue_type_id)
       SELECT f.custom_field_id, ? FROM custom_field_issue_type f
        WHERE f.issue_type_id = ? AND NOT EXISTS (
          SELECT 1 FROM custom_field_issue_type o
           WHERE o.custom_field_id = f.custom_field_id AND o.issue_type_id = ?)`,
      [to, from, to],
    );
    await manager.query('DELETE FROM custom_field_issue_type WHERE issue_type_id = ?', [from]);
  }
}

function selectOf(fieldIds: readonly number[]): { sql: string; parameters: number[] } {
  const list = inList(fieldIds);
  return {
    sql: `SELECT custom_field_id AS customFieldId, issue_type_id AS issueTypeId
            FROM custom_field_issue_type WHERE custom_field_id ${list.sql} ORDER BY issue_type_id`,
    parameters: list.parameters,
  };
}

const byField = (rows: readonly Row[]): IssueTypesByField =>
  new Map(
    [...groupBy(rows, ({ customFieldId }) => customFieldId)].map(([id, ofField]) => [
      id,
      ofField.map(({ issueTypeId }) => issueTypeId),
    ]),
  );
