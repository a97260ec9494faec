/**
 * Returns the condition that a project has custom fields, for statements that read other tables.
 * @param projectId the column with the project's id
 */
export const hasCustomFields = (projectId: string): string =>
  `EXISTS (SELECT 1 FROM custom_field o WHERE o.project_id = ${projectId})`;

/**
 * Returns the join of a custom field item as `o`, with its id, name and position, so that other modules can show it and sort by it.
 * @param id the column with the item's id
 */
export const joinItem = (id: string): string => `JOIN custom_field_item o ON o.id = ${id}`;
