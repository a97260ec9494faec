import { BlockList, isIP, isIPv6 } from 'node:net';
import { parseUrl } from './parse-url';

/**
 * Adds a CIDR range such as `10.0.0.0/8` or `fd00::/8` to a list.
 * @throws RangeError when it is none
 */
export function addRange(list: BlockList, range: string): void {
  const [network = '', prefix = ''] = range.split('/');
  if (isIP(network) === 0 || !/^\d{1,3}$/.test(prefix)) throw new RangeError(`Not a CIDR range: ${range}`);
  list.addSubnet(network, Number(prefix), isIPv6(network) ? 'ipv6' : 'ipv4');
}

/** Whether an entry of WEBHOOK_ALLOW can be understood: a host, `host:port`, or a CIDR range. */
export function isAllowEntry(entry: string): boolean {
  if (entry === '' || /[\s@?#]/.test(entry)) return false;
  if (!entry.includes('/')) {
    return parseUrl(`http://${isIPv6(entry) ? `[${entry}]` : entry}`) !== undefined;
  }
  try {
    addRange(new BlockList(), entry);
    return true;
  } catch {
    return false;
  }
}
