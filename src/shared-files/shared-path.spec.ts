import { folderOf, isPortable, parseName, parsePath, pathKeyOf } from './shared-path';

describe('parsePath', () => {
  it.each([
    ['', []],
    ['/', []],
    ['guides', ['guides']],
    ['/guides/', ['guides']],
    ['/guides/über uns/漢字 😀', ['guides', 'über uns', '漢字 😀']],
    ['.hidden/...', ['.hidden', '...']],
    [`%2e%2e/${'x'.repeat(255)}`, ['%2e%2e', 'x'.repeat(255)]],
    [Array(20).fill('x').join('/'), Array(20).fill('x')],
  ])('reads %j', (text, names) => {
    expect(parsePath(text)).toEqual(names);
  });

  it.each([
    '//',
    'a//b',
    '//a',
    'a//',
    '.',
    '..',
    '../etc',
    'a/../b',
    'a/./b',
    ' ',
    ' a',
    'a /b',
    'a\\b',
    'a\nb',
    'a\u0000b',
    'a\u007fb',
    'a\u0085b',
    'a\u2028b',
    'a\ud800b',
    'x'.repeat(256),
    Array(21).fill('x').join('/'),
    Array(5).fill('x'.repeat(200)).join('/'),
  ])('refuses %j', (text) => {
    expect(parsePath(text)).toBeUndefined();
  });

  it('refuses huge input', () => {
    expect(parsePath('x/'.repeat(5_000_000))).toBeUndefined();
    expect(parseName('x'.repeat(10_000_000))).toBeUndefined();
  });

  it('treats composed and decomposed letters as equal', () => {
    expect(parsePath('u\u0308ber')).toEqual(parsePath('\u00fcber'));
    // 256 characters as received, and 255 as stored.
    expect(parsePath(`u\u0308${'x'.repeat(254)}`)).toHaveLength(1);
  });
});

describe('parseName', () => {
  it.each(['a.txt', 'ü'.repeat(255), '😀'.repeat(255), '.gitignore', 'a%2Fb', "it's; DROP TABLE `x` --"])(
    'accepts %j',
    (name) => {
      expect(parseName(name)).toBe(name);
    },
  );

  it.each(['', '.', '..', 'a/b', 'a\\b', ' a', 'a\t', 'a\u0000', 'a\ud800', 'x'.repeat(256)])(
    'refuses %j',
    (name) => {
      expect(parseName(name)).toBeUndefined();
    },
  );
});

describe('isPortable', () => {
  it.each([0x061c, 0x200e, 0x200f, 0x202a, 0x202e, 0x2066, 0x2069])(
    'refuses the bidirectional control character %d',
    (code) => {
      expect(isPortable(`a${String.fromCodePoint(code)}b`)).toBe(false);
    },
  );

  it.each(['CON', 'nul.txt', 'Aux .tar.gz', 'com1', 'LPT9.log', 'COM¹', 'conin$', 'prn:a'])(
    'refuses the device name %j',
    (name) => {
      expect(isPortable(name)).toBe(false);
    },
  );

  it.each(['console', 'com', 'com10', 'lpt', 'a.con', 'nulls.txt', 'שלום.txt', 'مرحبا'])(
    'accepts %j',
    (name) => {
      expect(isPortable(name)).toBe(true);
    },
  );
});

describe('folderOf', () => {
  it('returns a path with a slash at both ends', () => {
    expect(folderOf([])).toBe('/');
    expect(folderOf(['a', 'b'])).toBe('/a/b/');
  });
});

describe('pathKeyOf', () => {
  it('returns a different key for each path', () => {
    const keys = [[], ['a'], ['a', 'b'], ['A'], ['a b'], ['ab']].map(pathKeyOf);
    expect(new Set(keys).size).toBe(keys.length);
    for (const key of keys) expect(key).toMatch(/^[\w-]{43}$/);
  });
});
