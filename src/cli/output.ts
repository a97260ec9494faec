/** Characters that could move a terminal's cursor or change the direction of its text: control and format characters. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const GAP = '  ';

/** A row of a table: values by column heading. */
export type TableRow = Record<string, string | number>;

/** Receives the output of a command. */
export interface OutputStreams {
  out: (text: string) => void;
  error: (text: string) => void;
}

/** The output of a command. Standard output belongs to the result, so that a program can read it. */
export class Output {
  constructor(readonly streams: OutputStreams) {}

  /** Prints a line of the result. */
  print(line: string): void {
    this.streams.out(`${line}\n`);
  }

  /** Prints a line that is not part of the result, such as a summary. */
  note(line: string): void {
    this.streams.error(`${line}\n`);
  }

  /** Prints a value as JSON for a program. */
  printJson(value: unknown): void {
    this.print(JSON.stringify(value, undefined, 2));
  }

  /** Prints rows as a table for a person; all must have the columns of the first. */
  printTable(rows: readonly TableRow[]): void {
    for (const line of tableLines(rows)) this.print(line);
  }
}

/** The output of this process. */
export const PROCESS_OUTPUT = new Output({
  out: (text) => void process.stdout.write(text),
  error: (text) => void process.stderr.write(text),
});

/** Prints a line of the result of a command that only runs in its own process. */
export const print = (line: string): void => PROCESS_OUTPUT.print(line);

/** Same, for a line that is not part of the result. */
export const note = (line: string): void => PROCESS_OUTPUT.note(line);

/** Same, for a value as JSON. */
export const printJson = (value: unknown): void => PROCESS_OUTPUT.printJson(value);

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
