import { type FileStorage } from '../../attachments/file-storage';
import { type Environment } from '../../config/environment';
import { openSnapshot } from '../../database/snapshot/open-snapshot';
import { StartRefusedError } from '../../database/connections/start-refused.error';
import { type Services } from '../../services';
import { checkSchema } from '../schema';
import { REPAIRS } from './index';
import { type Fault, type Note, type Repair, RepairRefusedError } from './repair';

/** Maximum number of faults that are repaired together, and of characters that their subjects take as JSON. */
const MAX_BATCH = 100;
const MAX_BATCH_LENGTH = 64 * 1024;

/** The outcome for a fault: repaired (`mended`), already gone, or left for a reason. */
export type Outcome = { state: 'mended' | 'gone' } | { state: 'left'; reason: string };

/** A fault and its outcome: `found` in a dry run. A `note` is no fault. */
export type RepairResult = { check: string; fault: string } & (Outcome | { state: 'found' | 'note' });

/** Repairs faults of one kind where the database is open for writing, in order. */
export type Repairer = (check: string, subjects: readonly unknown[]) => Promise<Outcome[]>;

/**
 * Finds faults and repairs them. Each repair sees what the earlier ones have done.
 * @param repairer undefined for a dry run, which changes nothing
 * @throws StartRefusedError if the database is not that of this version
 */
export async function* runRepairs(
  environment: Environment,
  storage: FileStorage,
  repairer?: Repairer,
): AsyncGenerator<RepairResult> {
  for (const repair of REPAIRS) yield* runRepair(repair, environment, storage, repairer);
}

async function* runRepair(
  repair: Repair,
  environment: Environment,
  storage: FileStorage,
  repairer: Repairer | undefined,
): AsyncGenerator<RepairResult> {
  const { check } = repair;
  const snapshot = await openSnapshot(environment);
  try {
    if (!(await checkSchema(snapshot)).isCurrent) {
      throw new StartRefusedError(
        'The database does not have the schema of this version: see pms migrate --check.',
      );
    }
    for await (const faults of batchesOf(repair.find({ snapshot, environment, storage }))) {
      if ('note' in faults) {
        yield { check, fault: faults.note, state: 'note' };
        continue;
      }
      const outcomes = await repairer?.(
        check,
        faults.map(({ subject }) => subject),
      );
      for (const [index, { line }] of faults.entries()) {
        yield { check, fault: line, ...(outcomes?.[index] ?? { state: 'found' }) };
      }
    }
  } catch (error) {
    if (!(error instanceof RepairRefusedError)) throw error;
    yield { check, fault: error.message, state: 'left', reason: 'Nothing is changed.' };
  } finally {
    await snapshot.close();
  }
}

async function* batchesOf(
  found: AsyncIterable<Fault<unknown> | Note>,
): AsyncGenerator<Fault<unknown>[] | Note> {
  let batch: Fault<unknown>[] = [];
  let length = 0;
  for await (const fault of found) {
    if ('note' in fault) {
      yield fault;
      continue;
    }
    batch.push(fault);
    length += JSON.stringify(fault.subject).length;
    if (batch.length < MAX_BATCH && length < MAX_BATCH_LENGTH) continue;
    yield batch;
    batch = [];
    length = 0;
  }
  if (batch.length > 0) yield batch;
}

/**
 * Repairs faults of one kind with services of the application.
 * @param signal stops between two faults
 */
export async function* repairFaults(
  services: Services,
  check: string,
  subjects: readonly unknown[],
  signal: AbortSignal,
): AsyncGenerator<Outcome> {
  const repair = REPAIRS.find((each) => each.check === check);
  if (!repair) throw new StartRefusedError(`This version has no repair for ${JSON.stringify(check)}.`);
  for (const subject of subjects) {
    signal.throwIfAborted();
    yield await outcomeOf(repair, services, subject);
  }
}

async function outcomeOf(repair: Repair, services: Services, subject: unknown): Promise<Outcome> {
  try {
    return { state: (await repair.fix(services, subject)) ? 'mended' : 'gone' };
  } catch (error) {
    if (!(error instanceof RepairRefusedError)) throw error;
    return { state: 'left', reason: error.message };
  }
}
