/** Characters that could move a terminal's cursor or change the direction of its text: control and format characters. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const GAP = '  ';

/** A row of a table: values by column heading. */
export type TableRow = Record<string, string | number>;

/** Prints a line of the result. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints a line that is not part of the result, such as a report of what was done. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Prints a value as JSON for a program. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, undefined, 2));
}

/** Prints rows as a table for a person; all must have the columns of the first. */
export function printTable(rows: readonly TableRow[]): void {
  for (const line of tableLines(rows)) print(line);
}

/** Returns the lines of a table, headed by its column names. */
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

/** Replaces unprintable characters, because a user's text must not control the terminal of its reader. */
const cell = (value: string | number | undefined): string =>
  String(value ?? '').replace(UNPRINTABLE, '\ufffd');
