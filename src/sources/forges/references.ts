/** Returns a text with its pieces outside of code changed, in linear time. */
export function outsideCode(text: string, change: (piece: string) => string): string {
  let result = '';
  let paragraph = '';
  let fence: string | undefined;
  const endParagraph = (): void => {
    result += outsideSpans(paragraph, change);
    paragraph = '';
  };
  for (const line of text.split(/(?<=\n)/)) {
    if (fence !== undefined) {
      result += line;
      if (closes(line, fence)) fence = undefined;
      continue;
    }
    fence = FENCE.exec(line)?.[1];
    if (fence === undefined && line.trim() !== '') {
      paragraph += line;
      continue;
    }
    endParagraph();
    result += line;
  }
  endParagraph();
  return result;
}

/** The line that begins a block of code, also in a list or a quotation. */
const FENCE = /^[ \t>]*(?:[-*+][ \t]+)?(`{3,}(?=[^`]*$)|~{3,})/;
const END = /^[ \t>]*(`{3,}|~{3,})\s*$/;

function closes(line: string, fence: string): boolean {
  const end = END.exec(line)?.[1];
  return end !== undefined && end.startsWith(fence.charAt(0)) && end.length >= fence.length;
}

/** Changes the pieces of a paragraph between its spans of code, which begin and end with as many backticks. */
function outsideSpans(paragraph: string, change: (piece: string) => string): string {
  const runs = [...paragraph.matchAll(/`+/g)].map(({ index, 0: { length } }) => ({ index, length }));
  const lastOf = new Map(runs.map(({ length }, place) => [length, place]));
  let result = '';
  let done = 0;
  let opening: { index: number; length: number } | undefined;
  for (const [place, run] of runs.entries()) {
    if (!opening) {
      // Backticks that nothing closes are text.
      if ((lastOf.get(run.length) ?? 0) > place) opening = run;
    } else if (run.length === opening.length) {
      const end = run.index + run.length;
      result += change(paragraph.slice(done, opening.index)) + paragraph.slice(opening.index, end);
      done = end;
      opening = undefined;
    }
  }
  return result + change(paragraph.slice(done));
}

/** `#12`, but not as a part of an address, an entity or a reference to another repository. */
const ISSUE = /(?<![\w/#&=?-])#([1-9]\d{0,8})(?!\w)/g;

/** Returns a Markdown text whose references to issues are keys: `#12` is `KEY-12`. @param isIssue whether a number is that of an issue */
export const withIssueKeys = (
  text: string,
  projectKey: string,
  isIssue: (number: number) => boolean,
): string =>
  text.includes('#')
    ? outsideCode(text, (piece) =>
        piece.replace(ISSUE, (reference, number: string) =>
          isIssue(Number(number)) ? `${projectKey}-${number}` : reference,
        ),
      )
    : text;
