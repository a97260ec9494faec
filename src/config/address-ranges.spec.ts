import fc from 'fast-check';
import { AddressRanges, isAddressRange } from './address-ranges';

describe(AddressRanges.name, () => {
  it.each([
    [['10.0.0.0/8'], '10.255.255.255', true],
    [['10.0.0.0/8'], '11.0.0.0', false],
    [['192.0.2.1'], '192.0.2.1', true],
    [['192.0.2.1'], '192.0.2.2', false],
    [['2001:db8::/32'], '2001:db8:ffff::1', true],
    [['2001:db8::/32'], '2001:db9::1', false],
    [['2001:db8::1'], '2001:DB8:0:0::1', true],
    [['fe80::/10'], 'fe80::1%eth0', true],
    [['0.0.0.0/0'], '203.0.113.9', true],
    [['0.0.0.0/0'], '2001:db8::1', false],
    [['::/0'], '2001:db8::1', true],
    [['::/0'], '203.0.113.9', false],
    [['::ffff:10.0.0.0/104'], '10.1.2.3', true],
    [['::ffff:a00:1'], '10.0.0.1', true],
    [['::ffff:10.0.0.0/104'], '11.1.2.3', false],
    [['::ffff:1:2:3'], '::ffff:1:2:3', true],
    [['10.0.0.0/8', 'fd00::/8'], 'fd12::1', true],
    [[], '127.0.0.1', false],
    [['10.0.0.0/8'], 'unknown', false],
    [['10.0.0.0/8'], '', false],
  ])('checks the ranges %j for the address %s and returns %s', (ranges, address, isIncluded) => {
    expect(new AddressRanges(ranges).includes(address)).toBe(isIncluded);
  });

  it('includes an IPv4 address exactly when its first bits are those of the range', () => {
    const bits = (address: string): string =>
      address
        .split('.')
        .map((part) => Number(part).toString(2).padStart(8, '0'))
        .join('');
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV4(), fc.integer({ min: 0, max: 32 }), (network, address, prefix) => {
        const isIncluded = bits(network).slice(0, prefix) === bits(address).slice(0, prefix);
        expect(new AddressRanges([`${network}/${prefix}`]).includes(address)).toBe(isIncluded);
      }),
    );
  });
});

describe(isAddressRange.name, () => {
  it.each([
    '',
    '10.0.0',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    'fe80::1%eth0',
    'localhost',
    '1',
  ])('refuses %j', (text) => expect(isAddressRange(text)).toBe(false));

  it('accepts only text that AddressRanges can be constructed from', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        if (isAddressRange(text)) new AddressRanges([text]);
      }),
    );
  });
});
