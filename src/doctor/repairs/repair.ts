import { type FileStorage } from '../../attachments/file-storage';
import { type Environment } from '../../config/environment';
import { type Snapshot } from '../../database/snapshot/snapshot';
import { type Services } from '../../services';

/** What a repair may read to find faults. */
export interface RepairContext {
  snapshot: Snapshot;
  environment: Environment;
  storage: FileStorage;
}

/** Something wrong that can be repaired. */
export interface Fault<Subject> {
  /** What is wrong, and what the repair does about it: one line, with a full stop. */
  line: string;
  /** What `fix` needs to know, as JSON: it may run in the process of the service. */
  subject: Subject;
}

/** Something that the operator should know before the repair: one line, with a full stop. */
export interface Note {
  note: string;
}

/** A fault was left as it is. The message is one line for the operator: why, and what to do. */
export class RepairRefusedError extends Error {}

/**
 * One kind of fault that `pms doctor --fix` repairs, listed in `REPAIRS`. Finding reads a snapshot in the process of the command, so it may
 * take long, and changes nothing. Fixing runs where the database is open for writing, perhaps in the running service: it uses the
 * services of the modules that own the data, reads the current state again in its own transaction, and can be repeated after a kill.
 */
export interface Repair<Subject = unknown> {
  /** Subject of the check that finds the fault. */
  readonly check: string;
  /** Yields the faults, one line each, and notes about them. */
  find(context: RepairContext): AsyncIterable<Fault<Subject> | Note>;
  /**
   * Repairs one fault.
   * @returns false if it was already gone
   * @throws RepairRefusedError if it has to be left
   */
  fix(services: Services, subject: Subject): Promise<boolean>;
}
