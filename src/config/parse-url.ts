/** Parses a URL; returns undefined for an invalid one. Not `URL.canParse`, which on Node 20 rejects some valid non-ASCII addresses. */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
