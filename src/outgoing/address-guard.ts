import { BlockList, isIP, isIPv6 } from 'node:net';
import { addRange } from '../config/allow-entry';
import { type ResolvedAddress, type Resolver, systemResolver, untrustedResolver } from './name-resolver';

/** Non-public address ranges, which the service does not connect to unless the operator allows it. */
const REFUSED_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
const REFUSED_IPV6 = [
  '::/128',
  '::1/128',
  '::/96',
  '::ffff:0:0/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];

/** One for all guards, which share the threads. */
const resolveUntrusted = untrustedResolver();

/** Two lists: in a single one, the range of IPv4-mapped addresses would match every IPv4 address. */
const refused = { 4: toBlockList(REFUSED_IPV4), 6: toBlockList(REFUSED_IPV6) };

/** Thrown for a refused address; the message explains why to whoever entered it. */
export class RefusedAddressError extends Error {
  readonly code = 'REFUSED_ADDRESS';
}

/**
 * Decides which addresses that users enter the service may connect to (SSRF): public ones, and those that the operator allows. Applied
 * when an address is saved and again at each request.
 */
export class AddressGuard {
  private readonly allowedHosts = new Set<string>();
  private readonly allowedRanges = new BlockList();

  /**
   * @param setting the setting with the entries, for messages
   * @param allow its entries: exact hosts, `host:port`, and CIDR ranges
   * @param resolver resolves all names, in tests
   */
  constructor(
    private readonly setting: 'WEBHOOK_ALLOW' | 'IDENTITY_PROVIDER_ALLOW' | 'IMPORT_SOURCE_ALLOW',
    allow: readonly string[],
    private readonly resolver?: Resolver,
  ) {
    for (const entry of allow) {
      if (entry.includes('/')) addRange(this.allowedRanges, entry);
      else if (isIP(stripBrackets(entry)) !== 0)
        addRange(this.allowedRanges, `${stripBrackets(entry)}/${isIPv6(stripBrackets(entry)) ? 128 : 32}`);
      else this.allowedHosts.add(entry.toLowerCase());
    }
  }

  /**
   * Checks everything that needs no look-up: the scheme, user and password, and a literal IP address.
   * @throws RefusedAddressError
   */
  checkUrl(url: URL): void {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      throw new RefusedAddressError('The URL must begin with http:// or https://.');
    }
    if (url.username !== '' || url.password !== '') {
      throw new RefusedAddressError('The URL must not contain a user or a password.');
    }
    const host = stripBrackets(url.hostname);
    if (isIP(host) !== 0 && !this.isNamedAllowed(url)) this.checkAddress(host);
  }

  /**
   * Returns the checked addresses of a URL's host, the only ones to connect to. One refused address refuses all of them,
   * because an attacker's name server may mix public and private addresses.
   * @throws RefusedAddressError, and the resolver's errors
   */
  async resolve(url: URL): Promise<ResolvedAddress[]> {
    this.checkUrl(url);
    const host = stripBrackets(url.hostname);
    if (isIP(host) !== 0) return [{ address: host, family: isIP(host) }];
    const isAllowed = this.isNamedAllowed(url);
    const resolve = this.resolver ?? (isAllowed ? systemResolver : resolveUntrusted);
    const addresses = await resolve(host);
    if (!isAllowed) for (const { address } of addresses) this.checkAddress(address);
    return addresses;
  }

  private checkAddress(address: string): void {
    const plain = address.split('%', 1)[0] ?? address;
    const [list, family] = isIPv6(plain) ? ([refused[6], 'ipv6'] as const) : ([refused[4], 'ipv4'] as const);
    if (list.check(plain, family) && !this.allowedRanges.check(plain, family)) {
      throw new RefusedAddressError(
        `The address is not public. The operator can set ${this.setting} to allow it.`,
      );
    }
  }

  private isNamedAllowed(url: URL): boolean {
    const host = url.hostname.toLowerCase();
    const port = url.port || (url.protocol === 'https:' ? '443' : '80');
    return this.allowedHosts.has(host) || this.allowedHosts.has(`${host}:${port}`);
  }
}

/** Returns a host without the brackets of an IPv6 literal. */
const stripBrackets = (host: string): string => host.replace(/^\[|\]$/g, '');

function toBlockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) addRange(list, range);
  return list;
}
