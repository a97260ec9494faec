import { parseUrl } from '../config/parse-url';
import { AddressGuard, RefusedAddressError } from './address-guard';
import { type Resolver } from './name-resolver';
import {
  IPV4_SPELLINGS,
  IPV6_SPELLINGS,
  PUBLIC_ADDRESSES,
  SPECIAL_IPV4,
  SPECIAL_IPV6,
} from '../../test/support/special-addresses';

const PUBLIC = { address: '93.184.216.34', family: 4 };
const PRIVATE = { address: '10.1.2.3', family: 4 };

/** Resolver that returns a public address for every name, so that any text not recognized as an address gets through. */
const everythingIsPublic: Resolver = () => Promise.resolve([PUBLIC]);

const answering =
  (...addresses: string[]): Resolver =>
  () =>
    Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));

/** Whether a webhook could be sent to an address in the given spelling. */
async function getsThrough(
  text: string,
  guard = new AddressGuard('WEBHOOK_ALLOW', [], everythingIsPublic),
): Promise<boolean> {
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

describe('AddressGuard with a non-public address', () => {
  it('is tested with at least 60 addresses and 21 spellings of IPv4', () => {
    expect(new Set([...SPECIAL_IPV4, ...SPECIAL_IPV6]).size).toBeGreaterThanOrEqual(60);
    expect(Object.keys(IPV4_SPELLINGS).length).toBeGreaterThanOrEqual(21);
  });

  it.each(Object.entries(IPV4_SPELLINGS))(
    'refuses every IPv4 range in the spelling "%s"',
    async (_name, spell) => {
      for (const address of SPECIAL_IPV4) {
        const text = spell(address);
        expect([text, await getsThrough(text)]).toEqual([text, false]);
      }
    },
  );

  it.each(Object.entries(IPV6_SPELLINGS))(
    'refuses every IPv6 range in the spelling "%s"',
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
  ])('receives valid URLs in the spelling "%s", except with a zone id', (name, texts) => {
    expect(texts.filter((text) => parseUrl(text))).toEqual(name === 'zone id' ? [] : texts);
  });

  it('refuses a name that resolves to it', async () => {
    for (const address of [...SPECIAL_IPV4, ...SPECIAL_IPV6]) {
      const guard = new AddressGuard('WEBHOOK_ALLOW', [], answering(address));
      expect([address, await getsThrough('https://name.example/', guard)]).toEqual([address, false]);
    }
  });

  it('refuses a name that resolves to it and a public one, in either order', async () => {
    for (const address of [...SPECIAL_IPV4, ...SPECIAL_IPV6]) {
      for (const answer of [
        [PUBLIC.address, address],
        [address, PUBLIC.address],
      ]) {
        const guard = new AddressGuard('WEBHOOK_ALLOW', [], answering(...answer));
        expect([address, await getsThrough('https://name.example/', guard)]).toEqual([address, false]);
      }
    }
  });

  it('refuses a name that resolves to an address with a zone id', async () => {
    expect(
      await getsThrough(
        'https://name.example/',
        new AddressGuard('WEBHOOK_ALLOW', [], answering('fe80::1%eth0')),
      ),
    ).toBe(false);
  });

  it.each(['localhost', 'LOCALHOST', 'localhost.', 'ip6-localhost.example'])(
    'refuses the loopback name %s',
    async (host) => {
      expect(
        await getsThrough(`http://${host}/`, new AddressGuard('WEBHOOK_ALLOW', [], answering('127.0.0.1'))),
      ).toBe(false);
    },
  );
});

describe('AddressGuard with a public address', () => {
  it.each(PUBLIC_ADDRESSES)('permits %s, and a name that resolves to it', async (address) => {
    expect(await getsThrough(`https://${literal(address)}/hooks`)).toBe(true);
    expect(
      await getsThrough('https://name.example/', new AddressGuard('WEBHOOK_ALLOW', [], answering(address))),
    ).toBe(true);
  });

  it('returns the checked addresses', async () => {
    const guard = new AddressGuard('WEBHOOK_ALLOW', [], answering('93.184.216.34', '2606:4700::1111'));
    expect(await guard.resolve(new URL('https://name.example/'))).toEqual([
      { address: '93.184.216.34', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]);
    expect(await guard.resolve(new URL('https://8.8.8.8/'))).toEqual([{ address: '8.8.8.8', family: 4 }]);
  });
});

describe('AddressGuard with a name', () => {
  it('resolves the name each time, and refuses it once it is private', async () => {
    const answers = [[PUBLIC], [PRIVATE]];
    const guard = new AddressGuard('WEBHOOK_ALLOW', [], () => Promise.resolve(answers.shift() ?? []));
    expect(await getsThrough('https://rebound.example/', guard)).toBe(true);
    expect(await getsThrough('https://rebound.example/', guard)).toBe(false);
  });

  it('passes on the error of a name that cannot be resolved', async () => {
    const guard = new AddressGuard('WEBHOOK_ALLOW', [], () => Promise.reject(new Error('ENOTFOUND')));
    await expect(guard.resolve(new URL('https://nosuch.example/'))).rejects.toThrow('ENOTFOUND');
  });
});

describe('AddressGuard with another scheme or a user in the URL', () => {
  it.each([
    'ftp://93.184.216.34/',
    'file:///etc/passwd',
    'gopher://93.184.216.34/',
    'javascript:alert(1)',
    'ws://93.184.216.34/',
    'https://user@93.184.216.34/',
    'https://user:password@93.184.216.34/',
    'https://:password@93.184.216.34/',
  ])('refuses %s', async (text) => {
    expect(() => new AddressGuard('WEBHOOK_ALLOW', []).checkUrl(new URL(text))).toThrow(RefusedAddressError);
    expect(await getsThrough(text)).toBe(false);
  });
});

describe('AddressGuard with entries of WEBHOOK_ALLOW', () => {
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
  ])('applies the entry %s to %s (permitted: %s)', async (entry, text, expected) => {
    expect(
      await getsThrough(text, new AddressGuard('WEBHOOK_ALLOW', ['unrelated.example', entry], inside)),
    ).toBe(expected);
  });

  it('refuses another scheme or a user in the URL of an allowed name', async () => {
    const guard = new AddressGuard('WEBHOOK_ALLOW', ['ci.internal'], inside);
    expect(await getsThrough('ftp://ci.internal/', guard)).toBe(false);
    expect(await getsThrough('http://user@ci.internal/', guard)).toBe(false);
  });

  it('refuses a name with one address outside the allowed range', async () => {
    const guard = new AddressGuard('WEBHOOK_ALLOW', ['10.1.0.0/16'], answering('10.1.2.3', '10.2.0.1'));
    expect(await getsThrough('http://any.internal/', guard)).toBe(false);
  });
});
