import { joinProject } from '../projects/visibility';

/**
 * Joins something that belongs to a git repository with the repository `r`, its project `p` and the caller's membership. Its
 * one parameter is the caller's id.
 * @param repositoryId the column with the repository's id
 */
export const joinRepository = (repositoryId: string): string =>
  `JOIN git_repository r ON r.id = ${repositoryId} ${joinProject('r.project_id')}`;
