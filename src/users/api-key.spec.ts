import { generateApiKey, hashApiKey, isPlausibleApiKey } from './api-key';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'pms_';

describe('an API key', () => {
  it('consists of the prefix pms_ and 49 letters and digits', () => {
    expect(generateApiKey()).toMatch(/^pms_[0-9A-Za-z]{49}$/);
  });

  it('passes the plausibility check and differs each time', () => {
    const keys = Array.from({ length: 2000 }, generateApiKey);
    expect(keys.every(isPlausibleApiKey)).toBe(true);
    expect(new Set(keys).size).toBe(2000);
  });

  it('uses every character about equally often', () => {
    const counts = new Map<string, number>();
    const keys = 4000;
    for (let number = 0; number < keys; number++) {
      for (const character of generateApiKey().slice(PREFIX.length, -6)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    const expected = (keys * 43) / ALPHABET.length;
    const chiSquare = Array.from(ALPHABET).reduce(
      (sum, character) => sum + ((counts.get(character) ?? 0) - expected) ** 2 / expected,
      0,
    );
    // 61 degrees of freedom: random keys fail about once in 10^12 runs, an unrejected byte gives about 500.
    expect(chiSquare).toBeLessThan(180);
  });

  it('fails the plausibility check after any one character changes', () => {
    const key = generateApiKey();
    const accepted: string[] = [];
    for (let position = PREFIX.length; position < key.length; position++) {
      for (const character of ALPHABET) {
        const changed = key.slice(0, position) + character + key.slice(position + 1);
        if (changed !== key && isPlausibleApiKey(changed)) accepted.push(changed);
      }
    }
    expect(accepted).toEqual([]);
  });

  it.each([
    [
      'two neighbours swapped',
      (key: string) => key.slice(0, 10) + key.slice(11, 12) + key.slice(10, 11) + key.slice(12),
    ],
    ['one character missing', (key: string) => key.slice(0, -1)],
    ['one character doubled', (key: string) => `${key}${key.slice(-1)}`],
    ['its capitals in lower case', (key: string) => PREFIX + key.slice(PREFIX.length).toLowerCase()],
  ])('fails the plausibility check with %s', (_name, change) => {
    // Identical neighbours, or a key without capitals, would not change the key.
    let key = generateApiKey();
    while (change(key) === key) key = generateApiKey();
    expect(isPlausibleApiKey(change(key))).toBe(false);
  });

  it.each([
    ['plausible with 32 characters of an operator', 'x'.repeat(32), true],
    ['plausible with 255 characters of an operator', '~'.repeat(255), true],
    ['implausible with 31 characters', 'x'.repeat(31), false],
    ['implausible with 256 characters', 'x'.repeat(256), false],
    ['implausible with a space', `${'x'.repeat(32)} `, false],
    ['implausible with a line break', `${'x'.repeat(32)}\n`, false],
    ['implausible with a letter outside ASCII', 'ä'.repeat(40), false],
    ['implausible when empty', '', false],
    ['implausible as the prefix alone', PREFIX, false],
  ])('is %s', (_name, key, plausible) => {
    expect(isPlausibleApiKey(key)).toBe(plausible);
  });

  it('hashes to its SHA-256', () => {
    expect(hashApiKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
