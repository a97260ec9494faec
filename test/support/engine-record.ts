import { appendFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { clausesOf } from './clauses';

const ROOT = join(__dirname, '../..');
const FRAME_LIMIT = 100;

/** What `path-counters.ts` counts in a file. */
interface FileCounters {
  readonly fnMap: Readonly<Record<string, { readonly name: string; readonly line: number }>>;
  readonly branchMap: Readonly<Record<string, { readonly type: string; readonly line: number }>>;
  readonly f: Record<string, number>;
  readonly b: Record<string, number[]>;
}

/**
 * What a suite does to a server: the clauses of all statements that the service sends to it, and the paths it takes through the code of
 * locks, retries, leases and connections. Also the suite's duration.
 */
export class EngineRecord {
  private readonly clauses = new Set<string>();
  private readonly begun = performance.now();

  constructor(private readonly file: string) {
    takePaths();
  }

  /** Adds a statement that is about to be sent, unless the test itself sends it, or a suite beside the code whose statements are its own. */
  addStatement(sql: string): void {
    if (!currentSuite().startsWith('test/')) return;
    const added = clausesOf(sql).filter((clause) => !this.clauses.has(clause));
    // Finding out who sends a statement takes a millisecond.
    if (added.length === 0 || isSentByTest()) return;
    for (const clause of added) this.clauses.add(clause);
  }

  /** Appends the record to the file, as a line of JSON. */
  write(): void {
    const seconds = Math.ceil((performance.now() - this.begun) / 1000);
    const line = {
      suite: currentSuite(),
      seconds,
      clauses: [...this.clauses].sort(),
      paths: takePaths(),
    };
    appendFileSync(this.file, `${JSON.stringify(line)}\n`);
  }
}

/** Returns a new record if `TEST_ENGINE_RECORD` names a file for it. */
export const startRecord = (): EngineRecord | undefined =>
  process.env.TEST_ENGINE_RECORD ? new EngineRecord(process.env.TEST_ENGINE_RECORD) : undefined;

/** Returns the path of the suite whose tests run; while it loads, that of the one before. */
const currentSuite = (): string => relative(ROOT, expect.getState().testPath ?? '');

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

/** Returns the paths taken since the last call. */
function takePaths(): string[] {
  const files = (globalThis as { __paths__?: Record<string, FileCounters> }).__paths__ ?? {};
  return Object.entries(files).flatMap(([file, counters]) => takePathsOf(relative(ROOT, file), counters));
}

function takePathsOf(file: string, { f, b, fnMap, branchMap }: FileCounters): string[] {
  const functions = Object.keys(f).filter((id) => f[id]);
  const branches = Object.entries(b).flatMap(([id, counts]) =>
    counts.flatMap((count, index) =>
      count ? [`${branchMap[id]?.line} ${branchMap[id]?.type} ${id}.${index}`] : [],
    ),
  );
  for (const id in f) f[id] = 0;
  for (const counts of Object.values(b)) counts.fill(0);
  return [...functions.map((id) => `${fnMap[id]?.line} ${fnMap[id]?.name}`), ...branches].map(
    (path) => `${file}:${path}`,
  );
}
