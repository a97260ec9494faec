import { type EntityManager } from 'typeorm';
import { type LinkedIssue } from '../activities/activity-content';

/**
 * Replaces references to one row by references to another in a module's own rows, in the transaction that removes the row; no
 * new references are possible. Returns the first hundred issues that referenced it.
 */
export type Replace = (
  manager: EntityManager,
  projectId: number,
  from: number,
  to: number,
) => Promise<LinkedIssue[]>;

/** Removes references to a row from a module's own rows, in the transaction that removes the row; no new references are possible. */
export type RemoveReferences = (manager: EntityManager, id: number) => Promise<void>;

/** Handlers of a module that references settings, for the removal of one of them. */
export interface SettingReferences {
  replaceIssueType: Replace;
  replaceStatus: Replace;
  removeCategory: RemoveReferences;
  removeVersion: RemoveReferences;
}
