import { isIP } from 'node:net';
import { type Request } from 'express';

const V4_MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
/** Some proxies also forward the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([^:]+))(?::\d+)?$/;

/**
 * Returns the client address of a request, for limits and logs: that of the connection or, behind a proxy listed in
 * `TRUST_PROXY`, the forwarded one. An IPv4 address in IPv6 form is returned as IPv4.
 */
export function clientAddress(request: Request): string {
  return forwardedAddress(request) ?? parseAddress(request.socket.remoteAddress) ?? '';
}

/**
 * Same as `clientAddress`, for callers that must not trust a doubtful address: returns undefined, instead of the address of the
 * proxy, when the forwarded value is not an address.
 */
export function forwardedAddress({ ip }: Request): string | undefined {
  return parseAddress(ip);
}

/** Returns the key of a client: an IPv4 address, or the /64 network of an IPv6 address, since one machine owns all of it. */
export function addressGroup(address: string): string {
  const plain = parseAddress(address) ?? address;
  return isIP(plain) === 6 ? `${expandIPv6(plain).slice(0, 4).join(':')}::/64` : plain;
}

function parseAddress(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const [, bracketed, plain] = WITH_PORT.exec(text) ?? [];
  const address = bracketed ?? plain ?? text;
  if (isIP(address) === 0) return undefined;
  return V4_MAPPED.exec(address)?.[1] ?? address;
}

/** Returns the eight groups of an IPv6 address, without leading zeros. */
function expandIPv6(address: string): string[] {
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').toLowerCase().split('::');
  const groups = (part: string): string[] =>
    part === ''
      ? []
      : part
          .split(':')
          .flatMap((group) => (group.includes('.') ? ['0', '0'] : [group.replace(/^0+(?=.)/, '')]));
  const [before, after] = [groups(head), groups(tail ?? '')];
  return [...before, ...Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0'), ...after];
}
