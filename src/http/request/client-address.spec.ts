import { type Request } from 'express';
import { addressGroup, clientAddress, forwardedAddress } from './client-address';

describe(clientAddress.name, () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8::1'],
    ['192.0.2.1:4711', '192.0.2.1'],
    ['[2001:db8::1]:4711', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['unknown', '10.0.0.1'],
    ['', '10.0.0.1'],
    ['192.0.2.1\r\nX: y', '10.0.0.1'],
    [undefined, '10.0.0.1'],
  ])('maps the request IP %j to %s', (ip, address) => {
    expect(clientAddress({ ip, socket: { remoteAddress: '::ffff:10.0.0.1' } } as Request)).toBe(address);
  });

  it('returns an empty string for a request without a remote address', () => {
    expect(clientAddress({ socket: {} } as Request)).toBe('');
  });
});

describe(forwardedAddress.name, () => {
  it.each([
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['[2001:db8::1]:4711', '2001:db8::1'],
    ['unknown', undefined],
    [undefined, undefined],
  ])('maps the request IP %j to %s', (ip, address) => {
    expect(forwardedAddress({ ip, socket: { remoteAddress: '10.0.0.1' } } as Request)).toBe(address);
  });
});

describe(addressGroup.name, () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:1:2::192.0.2.1', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('maps %s to the group %s', (address, group) => {
    expect(addressGroup(address)).toBe(group);
  });
});
