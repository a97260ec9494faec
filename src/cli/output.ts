/** What could move the cursor of a terminal, or turn the direction of its text: control and format characters. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const GAP = '  ';

/** A row of a table: texts by the heading of their column. */
export type TableRow = Record<string, string | number>;

/** Prints a line of the result. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints a line that is not part of the result, such as what has been done. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Prints a value for a program. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, undefined, 2));
}

/** Prints rows for a person; all of them have the columns of the first. */
export function printTable(rows: readonly TableRow[]): void {
  for (const line of tableLines(rows)) print(line);
}

/** The lines of a table, with a line of headings. */
export function tableLines(rows: readonly TableRow[]): string[] {
  const headings = Object.keys(rows[0] ?? {});
  const lines = [headings, ...rows.map((row) => headings.map((heading) => cell(row[heading])))];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map((line) =>
    line
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
}

/** A user's text must not control the terminal of whoever lists it. */
const cell = (value: string | number | undefined): string =>
  String(value ?? '').replace(UNPRINTABLE, '\ufffd');
