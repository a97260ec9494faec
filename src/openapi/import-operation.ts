/** Part of the description of an operation that records past changes. */
export const IMPORT_OPERATION = `Records a change that was made elsewhere, with its author and time. Sends no notifications and webhooks. Only
Administrators may do this, and the audit log records it. Undocumented by the API family, whose migration tools use it.`;
