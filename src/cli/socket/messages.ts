import { StringDecoder } from 'node:string_decoder';

/** Version of the protocol; a service refuses a command of another one. */
export const PROTOCOL = 1;
/** Maximum length of a request in bytes. */
export const MAX_REQUEST_BYTES = 256 * 1024;

/** Maximum length of a line that a service sends, in UTF-16 code units: a service keeps less unread output than that. */
export const MAX_ANSWER_LENGTH = 8 * 1024 * 1024;

/** The only line that a command sends. */
export interface CommandRequest {
  protocol: number;
  /** Version of the program that asks. */
  version: string;
  words: string[];
}

/** A line that the service sends: a part of the output, or the exit code, which is the last line. */
export type CommandMessage = { out: string } | { error: string } | { exitCode: number };

/** Returns a message as a line. */
export const toLine = (message: CommandRequest | CommandMessage): string => `${JSON.stringify(message)}\n`;

/** Returns a request; undefined for anything else. */
export function parseRequest(line: string): CommandRequest | undefined {
  const { protocol, version, words } = parseObject(line);
  const isRequest =
    typeof protocol === 'number' &&
    typeof version === 'string' &&
    Array.isArray(words) &&
    words.every((word) => typeof word === 'string');
  return isRequest ? { protocol, version, words } : undefined;
}

/** Returns a line that a service sends; undefined for anything else. */
export function parseMessage(line: string): CommandMessage | undefined {
  const { out, error, exitCode } = parseObject(line);
  if (typeof out === 'string') return { out };
  if (typeof error === 'string') return { error };
  return Number.isInteger(exitCode) ? { exitCode: exitCode as number } : undefined;
}

/** Returns the fields of an object; none for anything else. */
function parseObject(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** Splits received bytes into lines. */
export class Lines {
  private readonly decoder = new StringDecoder('utf8');
  private rest = '';

  /** Returns the lines that a chunk completes, without their ends. */
  add(chunk: Buffer): string[] {
    const lines = (this.rest + this.decoder.write(chunk)).split('\n');
    this.rest = lines.pop() ?? '';
    return lines;
  }

  /** Length of the incomplete line, in UTF-16 code units. */
  get pending(): number {
    return this.rest.length;
  }
}
