import { isIP } from 'node:net';

/** Named ranges of Express. */
const NAMED_RANGES = new Set(['loopback', 'linklocal', 'uniquelocal']);
const MAX_HOPS = 100;

/**
 * Parses TRUST_PROXY to the format of Express: the number of proxies that a request passes, or the addresses and ranges of
 * trusted ones; 0 for none. Invalid text is returned as a list, for `isTrustProxy` to refuse.
 */
export function readTrustProxy(text: string): unknown {
  const given = text.trim();
  if (given === 'off') return 0;
  return /^\d+$/.test(given) ? Number(given) : given.split(',').map((item) => item.trim());
}

/** Whether Express accepts the value, and it does not trust every address. */
export function isTrustProxy(value: unknown): value is number | readonly string[] {
  if (typeof value === 'number') return value <= MAX_HOPS;
  return Array.isArray(value) && value.every((item: string) => NAMED_RANGES.has(item) || isNetwork(item));
}

function isNetwork(item: string): boolean {
  const [address = '', prefix, ...rest] = item.split('/');
  const version = address.includes('%') ? 0 : isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return (
    prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128))
  );
}
