import { Injectable } from '@nestjs/common';
import { recordKinds, type RecordKind } from '../archives/record-kinds';
import { AttachmentsService } from '../attachments/attachments.service';
import { TransactionsService } from '../database/transactions/transactions.service';
import { ImportedProjectsService } from '../projects/imported-projects.service';
import { UsersService } from '../users/users.service';
import { type ImportRow, ImportRunRepository } from './data/import-run.repository';
import { deleteRecords } from './data/import-rows';
import { ImportIds, loadIds } from './import-ids';
import { ImportSpoolService } from './import-spool.service';
import { ImportState } from './import-state';

const BATCH = 200;
const ENDED: ReadonlySet<ImportState> = new Set([
  ImportState.Done,
  ImportState.Cancelled,
  ImportState.Refused,
]);

/** Removes what a cancelled import has written: its projects like deleted ones, then the files that nothing had attached, teams and people. */
@Injectable()
export class ImportCancellationService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly runs: ImportRunRepository,
    private readonly spool: ImportSpoolService,
    private readonly projects: ImportedProjectsService,
    private readonly attachments: AttachmentsService,
    private readonly users: UsersService,
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
   * Goes on with the removal, once the projects are gone and if this machine has the archive.
   * @returns whether the import is cancelled
   */
  async finish(id: number): Promise<boolean> {
    const run = await this.runs.find(id);
    if (run?.state !== ImportState.Cancelling) return run?.state === ImportState.Cancelled;
    const hasBegun = Object.keys(run.bases).length > 0;
    if (hasBegun && !(await this.spool.has(run.spool))) return false;
    if (hasBegun && !(await this.removeRows(run))) return false;
    for (const { targetId, added } of await this.runs.findPeople(id)) {
      if (added) await this.transactions.run((manager) => this.users.removeImported(manager, targetId));
    }
    await this.spool.remove(run.spool);
    await this.transactions.run((manager) =>
      this.runs.update(manager, id, { state: ImportState.Cancelled, finished: Date.now() }),
    );
    return true;
  }

  /** @returns false while its projects still exist */
  private async removeRows(run: ImportRow): Promise<boolean> {
    const kinds = await recordKinds();
    const ids = new ImportIds(await loadIds(this.spool.folderOf(run.spool), kinds), run.bases, undefined);
    for (const batch of idsOf(ids, run, 'project')) {
      if ((await this.projects.findExisting(batch)).length > 0) return false;
    }
    for (const batch of idsOf(ids, run, 'attachment')) {
      await this.transactions.run((manager) => this.attachments.release(manager, batch));
    }
    const teams = kinds.find(({ name }) => name === 'team') as RecordKind;
    for (const batch of idsOf(ids, run, 'team')) {
      await this.transactions.run((manager) => deleteRecords(manager, teams, batch));
    }
    return true;
  }
}

/** Yields the ids in the space of the records of a kind that may have been written, in batches. */
function* idsOf(ids: ImportIds, run: ImportRow, kind: string): Generator<number[]> {
  const sources = ids.sources.get(kind);
  if (!sources || run.bases[kind] === undefined) return;
  let batch: number[] = [];
  for (let rank = 0; rank < sources.size; rank++) {
    batch.push(ids.of(kind, sources.at(rank)));
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
