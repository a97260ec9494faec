/**
 * Parses a URL; returns undefined for an invalid one. Not `URL.canParse`, which on Node 20 rejects some valid non-ASCII addresses.
 * @param base the URL to which a relative one refers
 */
export function parseUrl(text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
