/** The URL that a text is, or undefined. Not `URL.canParse`, which on Node 20 takes some non-ASCII addresses for none. */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
