import { BlockList, isIP, isIPv6 } from 'node:net';
import { parseUrl } from './parse-url';

/**
 * Adds a CIDR range such as `10.0.0.0/8` or `fd00::/8` to a list.
 * @throws RangeError when it is not a CIDR range
 */
export function addRange(list: BlockList, range: string): void {
  const [network = '', prefix = ''] = range.split('/');
  if (isIP(network) === 0 || !/^\d{1,3}$/.test(prefix)) throw new RangeError(`Not a CIDR range: ${range}`);
  list.addSubnet(network, Number(prefix), isIPv6(network) ? 'ipv6' : 'ipv4');
}

/** A host, or an IPv6 address in brackets, with an optional port. */
const HOST = /^(?:[\w-]+(?:\.[\w-]+)*\.?|\[[\da-f:.]+\])(?::\d+)?$/i;

/**
 * Whether an entry of WEBHOOK_ALLOW is valid: a host, `host:port`, or a CIDR range. Hosts are compared literally with those of
 * URLs, so one that a URL would write differently would never match.
 */
export function isAllowEntry(entry: string): boolean {
  if (isIPv6(entry)) return true;
  if (HOST.test(entry)) {
    const hostname = parseUrl(`http://${entry}`)?.hostname;
    return (
      hostname !== undefined &&
      (hostname.startsWith('[') || hostname === entry.replace(/:\d+$/, '').toLowerCase())
    );
  }
  try {
    addRange(new BlockList(), entry);
    return true;
  } catch {
    return false;
  }
}
