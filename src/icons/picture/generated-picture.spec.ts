import { BACKGROUNDS, backgroundOf, generatedPicture, initialsOf } from './generated-picture';

/** Returns the relative luminance as defined by WCAG. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe('initialsOf', () => {
  it.each([
    ['Ada Lovelace', 'AL'],
    ['ada', 'A'],
    ['  Jean-Luc   Marie  Picard ', 'JP'],
    ['山田 太郎', '山太'],
    ['👩‍👩‍👧‍👦 family', '👩‍👩‍👧‍👦F'],
    ['🇩🇪', '🇩🇪'],
    ['e\u0301mile zola', 'E\u0301Z'],
    ['ß', 'SS'],
    [`a${'\u0301'.repeat(500)}`, 'A'],
    ['a\0b', 'AB'],
    ['\u202eabc', 'A'],
    ['\ufffe', '?'],
    ['   ', '?'],
    ['', '?'],
  ])('shortens %j to %j', (name, initials) => {
    expect(initialsOf(name)).toBe(initials);
  });
});

describe('a generated picture', () => {
  it('depends only on name and id, and escapes markup', () => {
    expect(generatedPicture('Ada', 7)).toEqual(generatedPicture('Ada', 7));
    const svg = generatedPicture('<script> "onload', 7).toString();
    expect(svg).toContain('>&lt;&quot;</text>');
    expect(generatedPicture("& '", 7).toString()).toContain('>&amp;&#39;</text>');
    expect(svg).not.toMatch(/script|onload|href/);
  });

  it('uses background colours on which white text is readable', () => {
    for (const color of BACKGROUNDS) expect(1.05 / (luminance(color) + 0.05)).toBeGreaterThanOrEqual(4.5);
  });

  it.each([1, 3, 12])('uses every colour for ids that are %i apart', (step) => {
    const ids = Array.from({ length: 200 }, (_, index) => 1 + index * step);
    expect(new Set(ids.map(backgroundOf)).size).toBe(BACKGROUNDS.length);
    expect(BACKGROUNDS).toContain(backgroundOf(Number.MAX_SAFE_INTEGER));
  });
});
