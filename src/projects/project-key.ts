/** Databases compare more loosely: some take spaces at the end, or what follows a NUL, for nothing. */
export const PROJECT_KEY = /^[A-Z][A-Z0-9_]{0,24}$/;

/** The key that a deleted project gets, which no request can ask for; its previous key is free at once. */
export const keyOfDeleted = (id: number): string => `#${id}`;
