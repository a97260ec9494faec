/** The URL that a text is, or undefined. Not `URL.canParse`, which on Node 20 rejects some valid non-ASCII addresses. */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
