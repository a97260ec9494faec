import { parseUrl } from '../../config/parse-url';
import { AddressGuard, RefusedAddressError, type Resolver } from './address-guard';
import {
  IPV4_SPELLINGS,
  IPV6_SPELLINGS,
  PUBLIC_ADDRESSES,
  SPECIAL_IPV4,
  SPECIAL_IPV6,
} from '../../../test/support/special-addresses';

const PUBLIC = { address: '93.184.216.34', family: 4 };
const PRIVATE = { address: '10.1.2.3', family: 4 };

/** Resolver that returns a public address for every name, so that any text not recognized as an address gets through. */
const everythingIsPublic: Resolver = () => Promise.resolve([PUBLIC]);

const answering =
  (...addresses: string[]): Resolver =>
  () =>
    Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));

/** Whether a webhook could be sent to an address in the given spelling. */
async function getsThrough(text: string, guard = new AddressGuard([], everythingIsPublic)): Promise<boolean> {
  if (!parseUrl(text)) return false;
  try {
    await guard.resolve(new URL(text));
    return true;
  } catch (error) {
    if (error instanceof RefusedAddressError) return false;
    throw error;
  }
}

const literal = (address: string): string => (address.includes(':') ? `[${address}]` : address);

describe('special addresses', () => {
  it('are at least 60, in at least 21 spellings each for IPv4', () => {
    expect(new Set([...SPECIAL_IPV4, ...SPECIAL_IPV6]).size).toBeGreaterThanOrEqual(60);
    expect(Object.keys(IPV4_SPELLINGS).length).toBeGreaterThanOrEqual(21);
  });

  it.each(Object.entries(IPV4_SPELLINGS))(
    'of IPv4 do not get through in any range: %s',
    async (_name, spell) => {
      for (const address of SPECIAL_IPV4) {
        const text = spell(address);
        expect([text, await getsThrough(text)]).toEqual([text, false]);
      }
    },
  );

  it.each(Object.entries(IPV6_SPELLINGS))(
    'of IPv6 do not get through in any range: %s',
    async (_name, spell) => {
      for (const address of SPECIAL_IPV6) {
        const text = spell(address);
        expect([text, await getsThrough(text)]).toEqual([text, false]);
      }
    },
  );

  it.each([
    ...Object.entries(IPV4_SPELLINGS).map(([name, spell]) => [name, SPECIAL_IPV4.map(spell)] as const),
    ...Object.entries(IPV6_SPELLINGS).map(([name, spell]) => [name, SPECIAL_IPV6.map(spell)] as const),
  ])('are spelled as URLs can be, so that it is the guard that refuses: %s', (name, texts) => {
    expect(texts.filter((text) => parseUrl(text))).toEqual(name === 'zone id' ? [] : texts);
  });

  it('do not get through a name', async () => {
    for (const address of [...SPECIAL_IPV4, ...SPECIAL_IPV6]) {
      const guard = new AddressGuard([], answering(address));
      expect([address, await getsThrough('https://name.example/', guard)]).toEqual([address, false]);
    }
  });

  it('do not get through a name beside public ones, wherever they stand', async () => {
    for (const address of [...SPECIAL_IPV4, ...SPECIAL_IPV6]) {
      for (const answer of [
        [PUBLIC.address, address],
        [address, PUBLIC.address],
      ]) {
        const guard = new AddressGuard([], answering(...answer));
        expect([address, await getsThrough('https://name.example/', guard)]).toEqual([address, false]);
      }
    }
  });

  it('do not get through a name with a zone id', async () => {
    expect(await getsThrough('https://name.example/', new AddressGuard([], answering('fe80::1%eth0')))).toBe(
      false,
    );
  });

  it.each(['localhost', 'LOCALHOST', 'localhost.', 'ip6-localhost.example'])(
    'do not get through as %s',
    async (host) => {
      expect(await getsThrough(`http://${host}/`, new AddressGuard([], answering('127.0.0.1')))).toBe(false);
    },
  );
});

describe('public addresses', () => {
  it.each(PUBLIC_ADDRESSES)('get through: %s', async (address) => {
    expect(await getsThrough(`https://${literal(address)}/hooks`)).toBe(true);
    expect(await getsThrough('https://name.example/', new AddressGuard([], answering(address)))).toBe(true);
  });

  it('are the only ones given to connect to', async () => {
    const guard = new AddressGuard([], answering('93.184.216.34', '2606:4700::1111'));
    expect(await guard.resolve(new URL('https://name.example/'))).toEqual([
      { address: '93.184.216.34', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]);
    expect(await guard.resolve(new URL('https://8.8.8.8/'))).toEqual([{ address: '8.8.8.8', family: 4 }]);
  });
});

describe('a name', () => {
  it('is looked up again each time, and refused as soon as it turns private', async () => {
    const answers = [[PUBLIC], [PRIVATE]];
    const guard = new AddressGuard([], () => Promise.resolve(answers.shift() ?? []));
    expect(await getsThrough('https://rebound.example/', guard)).toBe(true);
    expect(await getsThrough('https://rebound.example/', guard)).toBe(false);
  });

  it('that cannot be resolved is told apart from one that is refused', async () => {
    const guard = new AddressGuard([], () => Promise.reject(new Error('ENOTFOUND')));
    await expect(guard.resolve(new URL('https://nosuch.example/'))).rejects.toThrow('ENOTFOUND');
  });
});

describe('an address', () => {
  it.each([
    'ftp://93.184.216.34/',
    'file:///etc/passwd',
    'gopher://93.184.216.34/',
    'javascript:alert(1)',
    'ws://93.184.216.34/',
    'https://user@93.184.216.34/',
    'https://user:password@93.184.216.34/',
    'https://:password@93.184.216.34/',
  ])('with another scheme or with a user is refused: %s', async (text) => {
    expect(() => new AddressGuard([]).checkUrl(new URL(text))).toThrow(RefusedAddressError);
    expect(await getsThrough(text)).toBe(false);
  });
});

describe('what the operator opens', () => {
  const inside = answering('10.1.2.3');

  it.each<[string, string, boolean]>([
    ['ci.internal', 'http://ci.internal/', true],
    ['ci.internal', 'https://CI.Internal:8443/', true],
    ['CI.Internal', 'http://ci.internal/', true],
    ['ci.internal', 'http://a.ci.internal/', false],
    ['ci.internal', 'http://internal/', false],
    ['ci.internal', 'http://ci.internal.example/', false],
    ['chat.internal:8443', 'https://chat.internal:8443/', true],
    ['chat.internal:8443', 'https://chat.internal/', false],
    ['chat.internal:443', 'https://chat.internal/', true],
    ['chat.internal:80', 'http://chat.internal/', true],
    ['chat.internal:80', 'https://chat.internal/', false],
    ['10.1.0.0/16', 'http://any.internal/', true],
    ['10.1.0.0/16', 'http://10.1.255.255/', true],
    ['10.1.0.0/16', 'http://10.2.0.0/', false],
    ['10.1.0.0/16', 'http://0x0a010203/', true],
    ['10.2.0.0/16', 'http://any.internal/', false],
    ['10.1.2.3', 'http://any.internal/', true],
    ['10.1.2.3', 'http://10.1.2.4/', false],
    ['10.1.2.3:8080', 'http://10.1.2.3:8080/', true],
    ['10.1.2.3:8080', 'http://10.1.2.3/', false],
    ['fd00::/8', 'http://[fd12::1]/', true],
    ['fd00::/8', 'http://[fe80::1]/', false],
    ['fd00::1', 'http://[fd00::1]/', true],
    ['[fd00::1]', 'http://[fd00::1]/', true],
    ['[fd00::1]:8080', 'http://[fd00::1]:8080/', true],
    ['[fd00::1]:8080', 'http://[fd00::1]/', false],
    ['fd00::/8', 'http://10.1.2.3/', false],
  ])('%s: %s gets through: %s', async (entry, text, expected) => {
    expect(await getsThrough(text, new AddressGuard(['unrelated.example', entry], inside))).toBe(expected);
  });

  it('opens no scheme and no user', async () => {
    const guard = new AddressGuard(['ci.internal'], inside);
    expect(await getsThrough('ftp://ci.internal/', guard)).toBe(false);
    expect(await getsThrough('http://user@ci.internal/', guard)).toBe(false);
  });

  it('opens a range only as far as all addresses of a name are in it', async () => {
    const guard = new AddressGuard(['10.1.0.0/16'], answering('10.1.2.3', '10.2.0.1'));
    expect(await getsThrough('http://any.internal/', guard)).toBe(false);
  });
});
