/** Returns a LIKE pattern for texts that contain `text` literally; requires `ESCAPE '!'`. */
export const containsPattern = (text: string): string => `%${text.replace(/[!%_]/g, '!$&')}%`;
