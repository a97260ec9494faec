import { type IssueStatus } from './entities/issue-status.entity';

/**
 * The id by which clients know a status. Existing clients expect 1 to 4 for Open, In Progress, Resolved and Closed in every
 * project, although each project has its own rows for them; a status that a project has added has the id of its row.
 */
export const toWireId = ({ id, standard }: Pick<IssueStatus, 'id' | 'standard'>): number => standard ?? id;

/** The same in SQL, for the row `alias` of `issue_status`. */
export const wireIdOf = (alias: string): string => `COALESCE(${alias}.standard, ${alias}.id)`;
