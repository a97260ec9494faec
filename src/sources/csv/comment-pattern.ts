/** The parts of a comment that a pattern names. */
export interface CommentParts {
  time: string;
  author: string;
  text: string;
}

/** Splits a comment; undefined if it does not follow the pattern. */
export type CommentPattern = (value: string) => CommentParts | undefined;

const PLACEHOLDER = /\{(time|author|text)\}/g;

/**
 * Returns what splits comments by a pattern such as `{time};{author};{text}`. A part ends before the next text of the pattern; the last one
 * takes the rest. It takes time in proportion to the comment.
 * @throws Error that says what is wrong with the pattern
 */
export function compileCommentPattern(pattern: string): CommentPattern {
  const names = [...pattern.matchAll(PLACEHOLDER)].map(([, name]) => name as keyof CommentParts);
  // Every second piece is the name of a placeholder.
  const texts = pattern.split(PLACEHOLDER).filter((_, index) => index % 2 === 0);
  if (!names.includes('text')) throw new Error('it needs {text}');
  if (new Set(names).size < names.length) throw new Error('it has a part twice');
  if (texts.slice(1, -1).includes('')) throw new Error('it needs a text between two parts');
  return (value) => {
    const parts: CommentParts = { time: '', author: '', text: '' };
    const start = texts[0] ?? '';
    const end = texts.at(-1) ?? '';
    if (!value.startsWith(start) || !value.endsWith(end) || value.length < start.length + end.length)
      return undefined;
    let at = start.length;
    const last = value.length - end.length;
    for (const [index, name] of names.entries()) {
      const next = index === names.length - 1 ? last : value.indexOf(texts[index + 1] ?? '', at);
      if (next === -1 || next > last) return undefined;
      parts[name] = value.slice(at, next).trim();
      at = next + (texts[index + 1] ?? '').length;
    }
    return parts;
  };
}
