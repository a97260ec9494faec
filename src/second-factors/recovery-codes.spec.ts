import { generateRecoveryCodes, hashRecoveryCode } from './recovery-codes';

describe('a recovery code', () => {
  it('differs from all others, and has twelve digits of five bits', () => {
    const codes = Array.from({ length: 100 }, generateRecoveryCodes).flat();
    expect(new Set(codes).size).toBe(1000);
    for (const code of codes) expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){2}[0-9a-hjkmnp-tv-z]{4}$/);
  });

  it('is the same however it is typed', () => {
    const hash = hashRecoveryCode('01ab-cdef-ghjk');
    for (const typed of ['01abcdefghjk', ' OlAB CDEF GHJK ', 'oIab-cdef-ghjk']) {
      expect(hashRecoveryCode(typed)).toBe(hash);
    }
    expect(hashRecoveryCode('01ab-cdef-ghjm')).not.toBe(hash);
  });
});
