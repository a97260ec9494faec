/** Returns a markdown table whose columns are aligned in a terminal; an empty string without rows. */
export function table(head: string[], rows: readonly string[][]): string {
  if (rows.length === 0) return '';
  const widths = head.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line), ''].join('\n');
}
