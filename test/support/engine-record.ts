import { appendFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { clausesOf } from './clauses';

const ROOT = join(__dirname, '../..');
const FRAME_LIMIT = 100;

/** The clauses of all statements that the service sends to a server during a suite, and the suite's duration. */
export class EngineRecord {
  private readonly clauses = new Set<string>();
  private readonly begun = performance.now();

  constructor(private readonly file: string) {}

  /** Adds a statement that is about to be sent, unless the test itself sends it. */
  addStatement(sql: string): void {
    if (isSentByTest()) return;
    for (const clause of clausesOf(sql)) this.clauses.add(clause);
  }

  /** Appends the record of a suite to the file, as a line of JSON. */
  write(suite: string): void {
    const seconds = Math.ceil((performance.now() - this.begun) / 1000);
    const line = { suite: relative(ROOT, suite), seconds, clauses: [...this.clauses].sort() };
    appendFileSync(this.file, `${JSON.stringify(line)}\n`);
  }
}

/** Returns a new record if `TEST_ENGINE_RECORD` names a file for it. */
export const startRecord = (): EngineRecord | undefined =>
  process.env.TEST_ENGINE_RECORD ? new EngineRecord(process.env.TEST_ENGINE_RECORD) : undefined;

/** Whether the nearest function outside of `src/database` that leads to this call is one of a test. */
function isSentByTest(): boolean {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = FRAME_LIMIT;
  const frames = (new Error().stack ?? '').replaceAll(ROOT, '').split('\n');
  Error.stackTraceLimit = stackTraceLimit;
  const own = frames.filter((frame) => /\/(src|test)\//.test(frame));
  const sender = own.find((frame) => !/\/src\/database\/|\/(check-statements|engine-record)\./.test(frame));
  return sender?.includes('/test/') === true;
}
