import { joinProject } from '../../projects/visibility';

/**
 * Returns a join of rows that belong to a git repository with the repository `r`, its project `p` and the caller's membership. Its only
 * parameter is the caller's id.
 * @param repositoryId the column with the repository's id
 */
export const joinRepository = (repositoryId: string): string =>
  `JOIN git_repository r ON r.id = ${repositoryId} ${joinProject('r.project_id')}`;
