/** A value of a cell: texts come from people, numbers do not. Several texts are a line each. */
export type Cell = string | number | boolean | null | undefined | readonly string[];

/** What spreadsheets take for a formula at the start of a cell. */
const FORMULA_START = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

/**
 * Returns a row in the form of RFC 4180. A text that a spreadsheet would execute as a formula gets an apostrophe in front.
 * @param isRaw leaves such texts as they are
 */
export const csvRow = (cells: readonly Cell[], isRaw = false): string =>
  `${cells.map((cell) => csvCell(cell, isRaw)).join(',')}\r\n`;

function csvCell(cell: Cell, isRaw: boolean): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'number' || typeof cell === 'boolean') return String(cell);
  const text = typeof cell === 'string' ? cell : cell.join('\n');
  const safe = !isRaw && FORMULA_START.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
