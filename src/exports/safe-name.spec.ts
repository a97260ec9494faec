import fc from 'fast-check';
import { foldedName, MAX_NAME_BYTES, safeName } from './safe-name';

describe('safeName', () => {
  it('keeps ordinary names', () => {
    for (const name of ['Home', 'a b.png', 'Übersicht.tar.gz', '仕様書.docx', 'DEMO-12', 'x.y.z'])
      expect(safeName(name)).toBe(name);
  });

  it('replaces what a system does not allow', () => {
    expect(safeName('a/b\\c:d*e?f"g<h>i|j')).toBe('a_b_c_d_e_f_g_h_i_j');
    expect(safeName('a\u0000b\nc\u202ed')).toBe('a_b_c_d');
    expect(['.', '..', '...', '', ' ', '.git', '-rf', 'a.', 'a. '].map((name) => safeName(name))).toEqual([
      ...['_', '_._', '_.._', '_', '_', '_.git', '_-rf', 'a_', 'a_'],
    ]);
  });

  it('avoids the names of devices on Windows', () => {
    for (const name of ['CON', 'nul', 'Com1', 'lpt9.txt', 'aux.tar.gz', 'COM¹'])
      expect(safeName(name)).toBe(`_${name}`);
    for (const name of ['CONSOLE', 'com', 'nula.txt']) expect(safeName(name)).toBe(name);
  });

  it('shortens long names between characters, and keeps the extension', () => {
    expect(safeName(`${'é'.repeat(200)}.png`)).toBe(`${'é'.repeat(37)}.png`);
    expect(safeName('😀'.repeat(100))).toBe('😀'.repeat(19));
  });

  it('gives every text a name that stays within its folder', () => {
    const letters = [
      'a',
      'É',
      'e\u0301',
      '漢',
      '😀',
      '\ud83d',
      '.',
      ' ',
      '-',
      '/',
      '\\',
      ':',
      '\u0000',
      '\u202e',
      'CON',
    ];
    const unit = fc.constantFrom(...letters);
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 300 }), (text) => {
        const name = safeName(text);
        expect(name).not.toMatch(/[/\\\p{Cc}]|^\.|^$|[. ]$/u);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(MAX_NAME_BYTES);
        expect(name.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe('foldedName', () => {
  it('is equal for names that differ in case or composition', () => {
    expect(foldedName('STRASSE É')).toBe(foldedName('straße e\u0301'));
    expect(foldedName('a')).not.toBe(foldedName('b'));
  });
});
