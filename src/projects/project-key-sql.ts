/** The key of the project `p` that a statement has joined. */
export const PROJECT_KEY_COLUMN = 'p.project_key AS projectKey';

/**
 * Joins what belongs to a project with the project `p`, for its key.
 * @param projectId the column that names the project
 */
export const joinProjectKey = (projectId: string): string => `JOIN project p ON p.id = ${projectId}`;
