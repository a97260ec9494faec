/**
 * The condition that a project has custom fields, for a statement that reads something else.
 * @param projectId the column with the project's id
 */
export const hasCustomFields = (projectId: string): string =>
  `EXISTS (SELECT 1 FROM custom_field o WHERE o.project_id = ${projectId})`;

/**
 * Joins an item of a custom field as `o`, with its id, name and place, for other modules to show and to sort by.
 * @param id the column with the item's id
 */
export const joinItem = (id: string): string => `JOIN custom_field_item o ON o.id = ${id}`;
