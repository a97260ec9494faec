import { codeAt, findStep, generateTotpSecret, stepAt, toBase32, totpUri } from './totp';

/** The secret of the test vectors of RFC 6238. */
const SECRET = Buffer.from('12345678901234567890');

describe('a one-time password', () => {
  // The RFC lists eight digits; a code of six consists of the last ones.
  it.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('equals that of RFC 6238 at %i seconds', (seconds, code) => {
    expect(codeAt(SECRET, stepAt(seconds * 1000))).toBe(code.slice(-6));
  });

  it('belongs to the current step, the one before or the one after', () => {
    const now = Date.parse('2026-01-31T09:30:15Z');
    const step = stepAt(now);
    const found = [-2, -1, 0, 1, 2].map((offset) => findStep(SECRET, codeAt(SECRET, step + offset), now, 0));
    expect(found).toEqual([undefined, step - 1, step, step + 1, undefined]);
  });

  it('belongs to no step up to the last one that was accepted', () => {
    const now = Date.parse('2026-01-31T09:30:15Z');
    const step = stepAt(now);
    expect(findStep(SECRET, codeAt(SECRET, step), now, step)).toBeUndefined();
    expect(findStep(SECRET, codeAt(SECRET, step - 1), now, step)).toBeUndefined();
    expect(findStep(SECRET, codeAt(SECRET, step + 1), now, step)).toBe(step + 1);
  });

  it.each(['', '1', '12345678', 'abcdef', '１２３４５６'])('is not %j', (code) => {
    expect(findStep(SECRET, code, Date.now(), 0)).toBeUndefined();
  });
});

describe('a secret', () => {
  it('has 160 random bits', () => {
    const [one, other] = [generateTotpSecret(), generateTotpSecret()];
    expect([one.length, other.length]).toEqual([20, 20]);
    expect(one.equals(other)).toBe(false);
  });

  it.each([
    ['f', 'MY'],
    ['foobar', 'MZXW6YTBOI'],
    ['12345678901234567890', 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'],
  ])('shows the bytes %j as %s', (bytes, shown) => {
    expect(toBase32(Buffer.from(bytes))).toBe(shown);
  });

  it('names the space and the user in the address for apps', () => {
    expect(totpUri(SECRET, 'Example & Co', 'robin@example.com')).toBe(
      'otpauth://totp/Example%20%26%20Co:robin%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Example%20%26%20Co',
    );
    expect(totpUri(SECRET, '😀'.repeat(255), 'x'.repeat(255)).length).toBeLessThan(1200);
  });
});
