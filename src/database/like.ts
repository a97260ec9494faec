/** A LIKE pattern for texts that contain `text`, whatever signs it is made of; used with `ESCAPE '!'`. */
export const containsPattern = (text: string): string => `%${text.replace(/[!%_]/g, '!$&')}%`;
