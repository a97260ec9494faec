/** Backgrounds on which white text has a contrast of at least 4.5 : 1 (WCAG AA). */
export const BACKGROUNDS = [
  '#b3261e',
  '#a8326a',
  '#8e3a9d',
  '#6547b8',
  '#4757b8',
  '#2f63b0',
  '#1f6d8c',
  '#1b7268',
  '#2f7336',
  '#5a6b1c',
  '#7f5f14',
  '#9a4d16',
] as const;

/** Spreads ids with a fixed increment, as in a cluster, over all backgrounds. */
const GOLDEN_RATIO = 0.618_033_988_749_895;

/** Maximum length of a grapheme, in UTF-16 code units. Graphemes can be of any length; one longer than any emoji is cut. */
const MAX_GRAPHEME_LENGTH = 32;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Returns a square with the initials of a name, in a colour derived from the id, as an SVG document without scripts. */
export function generatedPicture(name: string, id: number): Buffer {
  const initials = initialsOf(name);
  const size = [...graphemes.segment(initials)].length > 1 ? 52 : 64;
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="128" height="128" viewBox="0 0 128 128">` +
      `<rect width="128" height="128" fill="${backgroundOf(id)}"/>` +
      `<text x="64" y="64" fill="#ffffff" font-family="sans-serif" font-size="${size}" text-anchor="middle" ` +
      `dominant-baseline="central">${escaped(initials)}</text></svg>`,
  );
}

export const backgroundOf = (id: number): string =>
  BACKGROUNDS[Math.floor(((id * GOLDEN_RATIO) % 1) * BACKGROUNDS.length)] as string;

/** Returns the first grapheme of the first and of the last word, in upper case. */
export function initialsOf(name: string): string {
  // Removes characters that XML cannot contain, and invisible ones.
  const words = name
    .replace(/[\p{Cc}\p{Cs}\p{Cn}\u2028-\u202e\u2066-\u2069\ufffe\uffff]/gu, ' ')
    .split(/\s+/u)
    .filter((word) => word !== '');
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words;
  return ends.map((word) => firstGrapheme(word as string).toUpperCase()).join('') || '?';
}

function firstGrapheme(word: string): string {
  // Segments only as much as may be shown.
  const [first] = graphemes.segment(word.slice(0, 2 * MAX_GRAPHEME_LENGTH));
  const { segment } = first as Intl.SegmentData;
  return segment.length <= MAX_GRAPHEME_LENGTH
    ? segment
    : String.fromCodePoint(segment.codePointAt(0) as number);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ESCAPES[character] as string);
