/** Databases compare more loosely: some take spaces at the end, or what follows a NUL, for nothing. */
export const PROJECT_KEY = /^[A-Z][A-Z0-9_]{0,24}$/;

/** What a deleted project's key becomes, which is nobody's to ask for; its own is free at once. */
export const keyOfDeleted = (id: number): string => `#${id}`;
