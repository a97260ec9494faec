import { Injectable } from '@nestjs/common';
import { recordKinds, type RecordKind } from '../archives/record-kinds';
import { ImportedFilesService } from '../attachments/imported-files.service';
import { TransactionsService } from '../database/transactions/transactions.service';
import { ImportedProjectsService } from '../projects/imported-projects.service';
import { TeamMembershipsService } from '../teams/team-memberships.service';
import { UsersService } from '../users/users.service';
import { deleteRecords } from './data/import-rows';
import {
  type ImportedRecord,
  type ImportRow,
  ImportRunRepository,
  RECORDED_KINDS,
} from './data/import-run.repository';
import { attachmentIdsOf, projectIdsOf } from './import-plan';
import { ImportSpoolService } from './import-spool.service';
import { ImportState } from './import-state';

const BATCH = 200;
const ENDED: ReadonlySet<ImportState> = new Set([
  ImportState.Done,
  ImportState.Cancelled,
  ImportState.Refused,
]);

/**
 * Removes what a cancelled import has written: its projects like deleted ones, then the files that nothing had attached, teams, agents and
 * people. Everything needed for that is in the database, because the archive may be on another machine, or gone. One that was published
 * before it was replaced leaves its people and agents, who may be used otherwise since, and the teams that other projects have.
 */
@Injectable()
export class ImportCancellationService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly runs: ImportRunRepository,
    private readonly spool: ImportSpoolService,
    private readonly projects: ImportedProjectsService,
    private readonly files: ImportedFilesService,
    private readonly users: UsersService,
    private readonly memberships: TeamMembershipsService,
  ) {}

  /**
   * Cancels an import that has not been published. Its worker can write nothing any more.
   * @returns false if it has ended
   */
  cancel(id: number): Promise<boolean> {
    return this.transactions.run(async (manager) => {
      const run = await this.runs.lock(manager, id);
      if (!run || ENDED.has(run.state)) return false;
      await this.runs.update(manager, id, { state: ImportState.Cancelling, leaseUntil: 0, leaseToken: null });
      await this.projects.abandon(manager, id);
      return true;
    });
  }

  /**
   * Goes on with the removal, once the projects are gone.
   * @returns whether the import is cancelled
   */
  async finish(id: number): Promise<boolean> {
    const run = await this.runs.find(id);
    if (run?.state !== ImportState.Cancelling) return run?.state === ImportState.Cancelled;
    if (!(await this.removeRows(run))) return false;
    if (!wasPublished(run)) {
      for (const { targetId, added } of await this.runs.findPeople(id)) {
        if (added) await this.transactions.run((manager) => this.users.removeImported(manager, targetId));
      }
    }
    await this.spool.remove(run.spool);
    await this.transactions.run((manager) =>
      // One that has been replaced was finished before.
      this.runs.update(manager, id, { state: ImportState.Cancelled, finished: run.finished ?? Date.now() }),
    );
    return true;
  }

  /** @returns false while its projects or files still exist: both refer to people */
  private async removeRows(run: ImportRow): Promise<boolean> {
    const kinds = await recordKinds();
    for (const batch of inBatches(projectIdsOf(run))) {
      if ((await this.projects.findExisting(batch)).length > 0) return false;
    }
    const files = attachmentIdsOf(run);
    if (files && !(await this.files.remove(files, fileLinksOf(kinds)))) return false;
    for (const kind of kinds) {
      if (!RECORDED_KINDS.has(kind.name)) continue;
      if (!wasPublished(run)) await this.removeRecorded(run, kind, deleteRecords);
      else if (kind.name === 'team') {
        await this.removeRecorded(run, kind, (manager, _kind, ids) =>
          this.memberships.removeUnused(manager, ids),
        );
      }
    }
    return true;
  }

  private async removeRecorded(
    { id }: ImportRow,
    kind: RecordKind,
    remove: typeof deleteRecords,
  ): Promise<void> {
    for (let after = 0; ;) {
      const rows = await this.runs.findRecorded(id, kind.name, after, BATCH);
      const ids = rows.map(({ targetId }) => targetId);
      if (ids.length > 0) await this.transactions.run((manager) => remove(manager, kind, ids));
      if (rows.length < BATCH) return;
      after = (rows.at(-1) as ImportedRecord).sourceId;
    }
  }
}

const wasPublished = ({ finished }: ImportRow): boolean => finished !== null;

/** Returns everything that refers to files. */
const fileLinksOf = (kinds: readonly RecordKind[]): { table: string; column: string }[] =>
  kinds.flatMap(({ table, references }) =>
    [...references].flatMap(([column, target]) => (target === 'attachment' ? [{ table, column }] : [])),
  );

function* inBatches(ids: readonly number[]): Generator<readonly number[]> {
  for (let start = 0; start < ids.length; start += BATCH) yield ids.slice(start, start + BATCH);
}
