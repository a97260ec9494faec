import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRow, insertRows, selectRow, selectRows, updateRow } from '../../database/sql/rows';
import { affectedRows, type EntityRunner, forWrite } from '../../database/sql/statements';
import { ImportRecord } from '../entities/import-record.entity';
import { ImportRun } from '../entities/import-run.entity';
import { type ImportPhase, ImportState } from '../import-state';

/** An import without its lease. */
export type ImportRow = Omit<ImportRun, 'leaseToken' | 'leaseUntil'>;

/** An import with its worker. */
export type UnfinishedImport = Pick<
  ImportRun,
  'id' | 'state' | 'phase' | 'spool' | 'leaseUntil' | 'leaseToken'
>;

/** Where an import is. */
export type ImportPosition = Pick<ImportRun, 'phase' | 'kind' | 'done'>;

/** A record of an archive in the space. */
export type ImportedRecord = Pick<ImportRecord, 'sourceId' | 'targetId'>;

/** A person of an archive in the space. */
export type ImportedPerson = ImportedRecord & Pick<ImportRecord, 'added'>;

/** The kinds, besides people, whose rows belong to no project, so that its removal does not remove them. */
export const RECORDED_KINDS: ReadonlySet<string> = new Set(['team', 'agent']);

const KEYS = [
  'id',
  'name',
  'size',
  'spool',
  'state',
  'phase',
  'kind',
  'done',
  'options',
  'source',
  'bases',
  'plan',
  'report',
  'error',
  'createdUserId',
  'created',
  'finished',
] as const satisfies readonly (keyof ImportRow)[];

/** The most imports of one name that are looked at. */
const MAX_NAMED = 100;

/** Rows of imports. */
@Injectable()
export class ImportRunRepository {
  constructor(private readonly dataSource: DataSource) {}

  insert(
    manager: EntityManager,
    run: Pick<ImportRun, 'name' | 'size' | 'spool' | 'options' | 'source' | 'createdUserId' | 'created'>,
  ): Promise<number> {
    const phase: ImportPhase = run.source ? 'read' : 'check';
    return insertRow(manager, ImportRun, { ...run, state: ImportState.Running, phase, bases: {} });
  }

  find(id: number, runner: EntityRunner = this.dataSource): Promise<ImportRow | undefined> {
    return selectRow(runner, ImportRun, KEYS, 'WHERE id = ?', [id]);
  }

  /** Returns an import that no other transaction changes until this one ends. */
  lock(manager: EntityManager, id: number): Promise<ImportRow | undefined> {
    return selectRow(manager, ImportRun, KEYS, `WHERE id = ?${forWrite(manager)}`, [id]);
  }

  /** Returns the latest imports of a name in some states, newest first. */
  findNamed(name: string, states: readonly ImportState[]): Promise<ImportRow[]> {
    const rest = `WHERE name = ? AND state IN (${states.join(', ')}) ORDER BY id DESC LIMIT ${MAX_NAMED}`;
    return selectRows(this.dataSource, ImportRun, KEYS, rest, [name]);
  }

  /** Returns the latest imports, newest first. */
  findLatest(limit: number): Promise<ImportRow[]> {
    return selectRows(this.dataSource, ImportRun, KEYS, `ORDER BY id DESC LIMIT ${limit}`);
  }

  /** Returns the imports in some states, oldest first, with the time until which a worker has each. */
  findInStates(states: readonly ImportState[]): Promise<UnfinishedImport[]> {
    return selectRows(
      this.dataSource,
      ImportRun,
      ['id', 'state', 'phase', 'spool', 'leaseUntil', 'leaseToken'],
      `WHERE state IN (${states.join(', ')}) ORDER BY id`,
    );
  }

  /**
   * Takes a running import for a worker.
   * @param heldBy the token of a worker that is known to be dead
   * @returns whether it did: not while another worker has it
   */
  async take(
    manager: EntityManager,
    id: number,
    { token, now, until, heldBy }: { token: string; now: number; until: number; heldBy: string | null },
  ): Promise<boolean> {
    const taken = await affectedRows(
      manager,
      `UPDATE import_run SET lease_token = ?, lease_until = ?
        WHERE id = ? AND state = ? AND (lease_until < ? OR lease_token = ?)`,
      [token, until, id, ImportState.Running, now, heldBy],
    );
    return taken > 0;
  }

  /** Extends a lease; returns false if another worker has taken over, or the import is no longer running. */
  async extend(manager: EntityManager, id: number, token: string, until: number): Promise<boolean> {
    const extended = await affectedRows(
      manager,
      'UPDATE import_run SET lease_until = ? WHERE id = ? AND lease_token = ? AND state = ?',
      [until, id, token, ImportState.Running],
    );
    return extended > 0;
  }

  /**
   * Moves an import from one position to another, and extends the lease. Must be the transaction's first statement.
   * @returns false if it is not there any more, or another worker has it: then nothing may be written
   */
  async move(
    manager: EntityManager,
    id: number,
    { token, from, to, until }: { token: string; from: ImportPosition; to: ImportPosition; until: number },
  ): Promise<boolean> {
    const moved = await affectedRows(
      manager,
      `UPDATE import_run SET phase = ?, kind = ?, done = ?, lease_until = ?
        WHERE id = ? AND lease_token = ? AND state = ? AND phase = ? AND kind = ? AND done = ?`,
      [
        ...[to.phase, to.kind, to.done, until],
        ...[id, token, ImportState.Running, from.phase, from.kind, from.done],
      ],
    );
    return moved > 0;
  }

  update(manager: EntityManager, id: number, changes: Partial<ImportRun>): Promise<void> {
    return updateRow(manager, ImportRun, id, changes);
  }

  /** Stops an import for a reason, unless another worker has taken over; returns whether it did. */
  async stop(
    manager: EntityManager,
    id: number,
    token: string,
    { state, error, finished }: Pick<ImportRun, 'state' | 'error' | 'finished'>,
  ): Promise<boolean> {
    const stopped = await affectedRows(
      manager,
      `UPDATE import_run SET state = ?, error = ?, finished = ?, lease_until = 0, lease_token = NULL
        WHERE id = ? AND lease_token = ? AND state = ?`,
      [state, error, finished, id, token, ImportState.Running],
    );
    return stopped > 0;
  }

  /** Releases a lease, unless another worker has taken over. */
  async release(manager: EntityManager, id: number, token: string): Promise<void> {
    await manager.query(
      'UPDATE import_run SET lease_until = 0, lease_token = NULL WHERE id = ? AND lease_token = ?',
      [id, token],
    );
  }

  async insertPeople(
    manager: EntityManager,
    importId: number,
    people: readonly ImportedPerson[],
  ): Promise<void> {
    if (people.length === 0) return;
    await insertRows(
      manager,
      ImportRecord,
      people.map((person) => ({ importId, kind: 'user', ...person })),
    );
  }

  /** Returns the people of an import; their number is limited. */
  findPeople(importId: number): Promise<ImportedPerson[]> {
    return selectRows(
      this.dataSource,
      ImportRecord,
      ['sourceId', 'targetId', 'added'],
      "WHERE import_id = ? AND kind = 'user' ORDER BY source_id",
      [importId],
    );
  }

  /** Notes rows of one of the `RECORDED_KINDS` that an import writes. */
  async insertRecorded(
    manager: EntityManager,
    importId: number,
    kind: string,
    records: readonly ImportedRecord[],
  ): Promise<void> {
    if (records.length === 0) return;
    await insertRows(
      manager,
      ImportRecord,
      records.map((record) => ({ importId, kind, ...record, added: true })),
    );
  }

  /** Returns noted rows of a kind, in the order of their ids in the archive. @param after the last such id before them */
  findRecorded(importId: number, kind: string, after: number, limit: number): Promise<ImportedRecord[]> {
    return selectRows(
      this.dataSource,
      ImportRecord,
      ['sourceId', 'targetId'],
      `WHERE import_id = ? AND kind = ? AND source_id > ? ORDER BY source_id LIMIT ${limit}`,
      [importId, kind, after],
    );
  }

  /** Returns the imports with a person who is this user, locked until the transaction ends. */
  async lockWithPerson(manager: EntityManager, targetId: number): Promise<ImportRow[]> {
    const found = await manager.query<{ id: number }[]>(
      "SELECT DISTINCT import_id AS id FROM import_record WHERE kind = 'user' AND target_id = ? ORDER BY import_id",
      [targetId],
    );
    const runs: ImportRow[] = [];
    for (const { id } of found) {
      const run = await this.lock(manager, id);
      if (run) runs.push(run);
    }
    return runs;
  }

  /** Makes a placeholder that has been merged the user in all imports. */
  async renamePerson(manager: EntityManager, from: number, into: number): Promise<void> {
    await manager.query(
      "UPDATE import_record SET target_id = ?, added = ? WHERE kind = 'user' AND target_id = ?",
      [into, false, from],
    );
  }
}
