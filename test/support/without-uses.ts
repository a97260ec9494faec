/** The times at which users and credentials were last used, which reading itself changes. */
const USES = new Set(['lastLoginTime', 'lastUsed']);

/** Returns a response body without the times that requests change. */
export const withoutUses = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body, (name, value: unknown) => (USES.has(name) ? undefined : value))) as unknown;
