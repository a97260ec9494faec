import { type EntityManager } from 'typeorm';
import { type LinkedIssue } from '../activities/activity-content';

/**
 * Replaces the id of one row by that of another wherever a module's own rows refer to it, in the transaction that removes it;
 * nobody can refer to it any more. Returns the first hundred issues that did.
 */
export type Replace = (
  manager: EntityManager,
  projectId: number,
  from: number,
  to: number,
) => Promise<LinkedIssue[]>;

/** What a module that refers to issue types and statuses does when one of them is removed. */
export interface SettingReplacer {
  replaceIssueType: Replace;
  replaceStatus: Replace;
}
