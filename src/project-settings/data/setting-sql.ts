import { packedColumns, unpacker } from '../../database/sql/select-together';
import { inList, type Sql } from '../../database/sql/statements';
import { inScope, type ProjectScope } from '../../projects/data/project-scope';
import { ISSUE_TYPE_KEYS, type IssueTypeRow } from './issue-type.repository';
import { STATUS_KEYS, type StatusRow } from './status.repository';
import { type IssueTypeDto } from '../dto/issue-type.dto';
import { type StatusDto } from '../dto/status.dto';
import { toIssueTypeDto } from '../issue-type.mapper';
import { type StandardStatus } from '../standard-status';
import { toStatusDto } from '../status.mapper';
import { wireIdOf } from '../status-wire-id';

/**
 * Returns an expression for the position of a setting in its project's order, for other modules to sort by, and the join that
 * it needs. A sub-query takes MySQL seven times as long.
 * @param id the column with the setting's id
 */
export const displayOrderOf = (
  table: 'issue_type' | 'issue_status' | 'category' | 'version',
  id: string,
): { expression: string; join: string } => ({
  expression: 'o.display_order',
  join: `LEFT JOIN ${table} o ON o.id = ${id}`,
});

/** Returns a SELECT of the settings of all projects in a scope as groups of rows, which sort by their positions (`GroupedRows`). */
export function settingGroups(
  table: 'issue_type' | 'issue_status' | 'category' | 'version',
  scope: ProjectScope,
): Sql {
  const { where, parameters } = inScope(scope, 'o.project_id');
  return { sql: `SELECT o.id AS id, o.display_order AS sort_key FROM ${table} o ${where}`, parameters };
}

/**
 * Returns the condition that a status has one of the wire ids, in any project.
 * @param id the column with the status's id
 */
export function isStatus(
  id: string,
  wireIds: readonly number[],
): { sql: string; parameters: readonly number[] } {
  const { sql, parameters } = inList(wireIds);
  return {
    sql: `EXISTS (SELECT 1 FROM issue_status o WHERE o.id = ${id} AND ${wireIdOf('o')} ${sql})`,
    parameters,
  };
}

/**
 * Joins a status as `o` if it is a standard one, so that `COUNT(o.id)` counts the rows that have it.
 * @param id the column with the status's id
 */
export const joinStandardStatus = (id: string, standard: StandardStatus): string =>
  `LEFT JOIN issue_status o ON o.id = ${id} AND o.standard = ${standard}`;

/** Joins the type and the status of an issue `i`. */
export const JOIN_TYPE_AND_STATUS =
  'JOIN issue_type t ON t.id = i.issue_type_id JOIN issue_status s ON s.id = i.status_id';

/** The columns of each, for `issueTypeOf` and `statusOf`. */
export const PACKED_ISSUE_TYPE = packedColumns('t', ISSUE_TYPE_KEYS);
export const PACKED_STATUS = packedColumns('s', STATUS_KEYS);

/** The columns of both. */
export const TYPE_AND_STATUS_COLUMNS = `${PACKED_ISSUE_TYPE} AS issueType, ${PACKED_STATUS} AS status`;

const unpackIssueType = unpacker(ISSUE_TYPE_KEYS);
const unpackStatus = unpacker(STATUS_KEYS);

export const issueTypeOf = (packedType: unknown): IssueTypeDto =>
  toIssueTypeDto(unpackIssueType(packedType) as unknown as IssueTypeRow);

export const statusOf = (packedStatus: unknown): StatusDto =>
  toStatusDto(unpackStatus(packedStatus) as unknown as StatusRow);
