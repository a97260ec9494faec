import { type EntityManager } from 'typeorm';
import { type LinkedIssue } from '../activities/activity-content';

/**
 * Puts one row's id in the place of another's wherever a module's own rows name it, in the transaction that removes the
 * other; nobody can name it any more. Gives the first hundred issues that did.
 */
export type Replace = (
  manager: EntityManager,
  projectId: number,
  from: number,
  to: number,
) => Promise<LinkedIssue[]>;

/** What a module that names issue types and statuses does when one of them goes. */
export interface SettingReplacer {
  replaceIssueType: Replace;
  replaceStatus: Replace;
}
