import { type IssueStatus } from './entities/issue-status.entity';

/**
 * Returns the id of a status in the API. Existing clients expect 1 to 4 for Open, In Progress, Resolved and Closed in every
 * project, although each project has its own rows for them; a status that a project added has its row id.
 */
export const toWireId = ({ id, standard }: Pick<IssueStatus, 'id' | 'standard'>): number => standard ?? id;

/** SQL for the wire id of the row `alias` of `issue_status`. */
export const wireIdOf = (alias: string): string => `COALESCE(${alias}.standard, ${alias}.id)`;
