import { parseUrl } from './parse-url';

/** Whether a text is a redis:// or rediss:// URL that the client can parse. */
export function isRedisUrl(text: string): boolean {
  const url = parseUrl(text);
  if (!url || !['redis:', 'rediss:'].includes(url.protocol) || url.hostname === '') return false;
  try {
    decodeURIComponent(url.username + url.password);
  } catch {
    return false;
  }
  return /^(\/\d*)?$/.test(url.pathname);
}
