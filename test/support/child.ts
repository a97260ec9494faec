import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable, type Writable } from 'node:stream';

/** A child process that runs a script of `test/support/children`. */
export class Child {
  private readonly process: ChildProcessByStdio<Writable, Readable | null, null>;
  private readonly output: AsyncIterator<string>;
  private readonly exited: Promise<unknown>;

  /** @param script name of the script, or its name and a file for its standard output, which replaces `nextLine` */
  constructor(script: string | { script: string; output?: string }, ...parameters: string[]) {
    const { script: name, output } = typeof script === 'string' ? { script } : script;
    const hook = join(__dirname, 'typescript-hook.cjs');
    const file = join(__dirname, 'children', `${name}.ts`);
    const started = spawn(process.execPath, ['--require', hook, file, ...parameters], {
      stdio: ['pipe', output === undefined ? 'pipe' : openSync(output, 'w'), 'inherit'],
      env: { ...process.env, NODE_NO_WARNINGS: '1' },
    });
    this.process = started as typeof this.process;
    this.exited = once(this.process, 'close');
    this.output = createInterface(this.process.stdout ?? Readable.from([]))[Symbol.asyncIterator]();
  }

  /** Returns the next line of output; undefined after the last. */
  async nextLine(): Promise<string | undefined> {
    const { value, done } = await this.output.next();
    return done ? undefined : value;
  }

  /** Returns the remaining lines of output, once the process has ended. */
  async restOfLines(): Promise<string[]> {
    const lines: string[] = [];
    for (let line = await this.nextLine(); line !== undefined; line = await this.nextLine()) lines.push(line);
    await this.exited;
    return lines;
  }

  /** Closes the standard input, for which the scripts wait before they continue. */
  go(): void {
    this.process.stdin.end();
  }

  /** Writes a line to the standard input. */
  say(line: string): void {
    this.process.stdin.write(`${line}\n`);
  }

  /** Sends a signal to the process. */
  signal(name: NodeJS.Signals): void {
    this.process.kill(name);
  }

  /** Resolves when the process ends, with its exit code, or null and the signal that ended it. */
  async outcome(): Promise<[code: number | null, signal: NodeJS.Signals | null]> {
    return (await this.exited) as [number | null, NodeJS.Signals | null];
  }

  /** Kills the process, as in a crash. */
  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.exited;
  }
}
