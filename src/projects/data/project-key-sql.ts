/** Column with the key of the joined project `p`. */
export const PROJECT_KEY_COLUMN = 'p.project_key AS projectKey';

/**
 * Joins rows that belong to a project with the project `p`, for its key.
 * @param projectId the column with the project's id
 */
export const joinProjectKey = (projectId: string): string => `JOIN project p ON p.id = ${projectId}`;
