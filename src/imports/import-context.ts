import { type ArchivePart, readProjectArchive } from '../archives/read-archive';
import { type ArchivedRecord, type RecordKind } from '../archives/record-kinds';
import { loopTurns } from '../event-loop/loop-turns';
import { type ImportRow } from './data/import-run.repository';
import { type ImportIds } from './import-ids';
import { type ImportLease } from './import-lease';
import { type ImportPlan } from './import-plan';
import { type ImportPhase } from './import-state';
import { type RenamedKeys } from './keys/renamed-keys';

/** How far a phase is. */
export interface ImportProgress {
  phase: ImportPhase;
  done: number;
  /** 0 if unknown. */
  total: number;
}

/** What the phases of an import share. */
export interface ImportContext {
  run: ImportRow;
  kinds: readonly RecordKind[];
  /** The path of the archive. */
  archive: string;
  /** The folder of the import. */
  folder: string;
  lease: ImportLease;
  signal: AbortSignal;
  progress: (done: number, total: number) => void;
}

/** The same after the check of the archive. */
export interface PlannedContext extends ImportContext {
  plan: ImportPlan;
  ids: ImportIds;
  /** Absent if all projects keep their keys. */
  keys?: RenamedKeys;
  /** The users of the space that people of the archive are, found once. */
  people?: Promise<Map<number, number>>;
}

/** Yields the parts of an archive until the import is interrupted. @throws the reason of the interruption */
export async function* partsOf({
  archive,
  kinds,
  signal,
  lease,
}: ImportContext): AsyncGenerator<ArchivePart> {
  for await (const part of readProjectArchive(archive, kinds)) {
    signal.throwIfAborted();
    lease.requireHeld();
    yield part;
  }
}

/** A record with its number among those of its kind, from 1. */
export interface NumberedRecord {
  kind: RecordKind;
  record: ArchivedRecord;
  number: number;
  /** Length of its line. */
  length: number;
}

/** Yields the records of an archive that has been checked before. @param isWanted decides for each part, by its kind and its last record */
export async function* recordsOf(
  context: ImportContext,
  isWanted: (kind: RecordKind, last: number) => boolean = () => true,
): AsyncGenerator<NumberedRecord> {
  for await (const part of partsOf(context)) {
    if (part.type === 'head') continue;
    if (part.type !== 'records') return;
    const { kind, first, lines } = part;
    if (!isWanted(kind, first + lines.length - 1)) continue;
    for (const [index, line] of lines.entries()) {
      // A long record takes a turn each to be read, to be parsed and to be used.
      let pause = loopTurns.pauseInBackground();
      if (pause) await pause;
      const record = JSON.parse(line) as ArchivedRecord;
      pause = loopTurns.pauseInBackground();
      if (pause) await pause;
      yield { kind, record, number: first + index, length: line.length };
    }
  }
}

/** The most records of a batch, and the most characters of their lines unless a single record has more. */
const BATCH_RECORDS = 200;
const BATCH_LENGTH = 1024 * 1024;

/** Yields records in batches of one kind, each for one transaction. */
export async function* batchesOf(records: AsyncIterable<NumberedRecord>): AsyncGenerator<NumberedRecord[]> {
  let batch: NumberedRecord[] = [];
  let length = 0;
  for await (const one of records) {
    const [first] = batch;
    const isFull = batch.length >= BATCH_RECORDS || length + one.length > BATCH_LENGTH;
    if (first && (isFull || first.kind !== one.kind)) {
      yield batch;
      batch = [];
      length = 0;
    }
    batch.push(one);
    length += one.length;
  }
  if (batch.length > 0) yield batch;
}
