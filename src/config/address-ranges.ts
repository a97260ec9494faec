import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { addRange } from './allow-entry';

/** An IPv4 address in IPv6 form. */
const MAPPED = /^(::|(0{1,4}:){5})ffff:([\d.]+|[\da-f]{1,4}:[\da-f]{1,4})$/i;
const MAPPED_PREFIX = 96;

/** Addresses and CIDR ranges of clients. IPv4 and IPv6 are separate, so that `::/0` does not include every IPv4 address. */
export class AddressRanges {
  private readonly ipv4 = new BlockList();
  private readonly ipv6 = new BlockList();

  /** @param ranges texts that satisfy `isAddressRange` */
  constructor(ranges: readonly string[]) {
    for (const range of ranges) this.add(range);
  }

  /** @param address an IPv4 address, or an IPv6 address that is not IPv4 in IPv6 form */
  includes(address: string): boolean {
    if (isIPv4(address)) return this.ipv4.check(address, 'ipv4');
    return isIPv6(address) && this.ipv6.check(address, 'ipv6');
  }

  /** @throws RangeError when the prefix is not valid for the address family */
  private add(range: string): void {
    const [network = '', prefix = isIPv4(network) ? '32' : '128'] = range.split('/');
    const isMapped = MAPPED.test(network) && Number(prefix) >= MAPPED_PREFIX;
    addRange(isIPv4(network) || isMapped ? this.ipv4 : this.ipv6, `${network}/${prefix}`);
  }
}

/** Whether a text is an address, or a CIDR range such as `10.0.0.0/8` or `2001:db8::/32`. */
export function isAddressRange(text: string): boolean {
  const [network = '', ...rest] = text.split('/');
  if (isIP(network) === 0 || network.includes('%') || rest.length > 1) return false;
  try {
    new AddressRanges([text]);
    return true;
  } catch {
    return false;
  }
}
