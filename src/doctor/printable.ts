/** Replaces characters that could rewrite the lines of a terminal: names and errors come from users and receivers. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
