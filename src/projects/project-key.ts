/** Stricter than comparisons in databases, some of which ignore trailing spaces or anything after a NUL. */
export const PROJECT_KEY = /^[A-Z][A-Z0-9_]{0,24}$/;

/** Returns the key of a deleted project, which no request can name; the previous key is free immediately. */
export const deletedProjectKey = (id: number): string => `#${id}`;
