/** Returns the first characters of a text, as the service counts them. */
export const firstCharacters = (text: string, count: number): string =>
  text.length <= count
    ? text
    : Array.from(text.slice(0, 2 * count))
        .slice(0, count)
        .join('')
        .toWellFormed();

/** Returns a text in one line. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
