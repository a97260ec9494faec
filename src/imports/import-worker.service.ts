import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { recordKinds } from '../archives/record-kinds';
import { AttachmentsService } from '../attachments/attachments.service';
import { COMMAND_LINE } from '../audit-log/actor';
import { BackgroundService } from '../background/background.service';
import { type BackgroundWork } from '../background/background-work';
import { BackupError } from '../backup/backup.error';
import { Environment } from '../config/environment';
import { isUnavailable } from '../database/connections/database-errors';
import { isEmbedded } from '../database/sql/statements';
import { TransactionsService } from '../database/transactions/transactions.service';
import { DomainError } from '../errors/domain-errors';
import { GitError, isFullDisk } from '../git/git-errors';
import { ImportedRepositoriesService } from '../git-repositories/storage/imported-repositories.service';
import { CountLimitsService } from '../limits/count-limits.service';
import { ImportedProjectsService } from '../projects/imported-projects.service';
import { ProjectCountersService } from '../projects/project-counters.service';
import { SearchIndexService } from '../search-index/search-index.service';
import { AgentsService } from '../users/agents.service';
import { UsersService } from '../users/users.service';
import { type ImportRow, ImportRunRepository, type UnfinishedImport } from './data/import-run.repository';
import { ImportError, ImportLostError } from './import.error';
import { ImportCancellationService } from './import-cancellation.service';
import { type ImportContext, partsOf, type PlannedContext } from './import-context';
import { ImportIds, loadIds } from './import-ids';
import { ImportLease } from './import-lease';
import { type ImportPlan, type ImportReport } from './import-plan';
import { ImportPlanService } from './import-plan.service';
import { ImportReadingService } from './import-reading.service';
import { ImportReplacementService } from './import-replacement.service';
import { ImportSpoolService } from './import-spool.service';
import { IMPORT_PHASES, type ImportPhase, ImportState, READING_PHASES } from './import-state';
import { RenamedKeys } from './keys/renamed-keys';
import { checkImport } from './phases/check';
import { derive } from './phases/derive';
import { storeFiles } from './phases/files';
import { makeRepositories } from './phases/repositories';
import { verifyRows } from './phases/verify';
import { linkRecords, writeRecords } from './phases/write';

const INTERVAL_MS = 15_000;
const MAX_ERROR_LENGTH = 1000;

/** How an import is watched and interrupted. */
export interface ImportRunOptions {
  /** Whether only these phases are run; all by default. An archive of a file has no phases that wait for a source. */
  only?: (phase: string) => boolean;
  onProgress?: (phase: ImportPhase, done: number, total: number) => void;
  signal?: AbortSignal;
}

/**
 * Runs imports, one after the other. A killed one goes on where its last transaction has left it, in the process that has its archive
 * (`docs/decisions/0069-imports.md`). Sources are read one after the other, too, beside that: they wait for their limits.
 */
@Injectable()
export class ImportWorkerService {
  private readonly logger = new Logger(ImportWorkerService.name);
  /** The tokens of this process. */
  private readonly active = new Set<string>();
  private readonly work: BackgroundWork;
  private readonly readings: BackgroundWork;

  constructor(
    background: BackgroundService,
    private readonly dataSource: DataSource,
    private readonly environment: Environment,
    private readonly transactions: TransactionsService,
    private readonly runs: ImportRunRepository,
    private readonly spool: ImportSpoolService,
    private readonly plans: ImportPlanService,
    private readonly reading: ImportReadingService,
    private readonly cancellation: ImportCancellationService,
    private readonly replacement: ImportReplacementService,
    private readonly users: UsersService,
    private readonly agents: AgentsService,
    private readonly attachments: AttachmentsService,
    private readonly repositories: ImportedRepositoriesService,
    private readonly projects: ImportedProjectsService,
    private readonly counters: ProjectCountersService,
    private readonly limits: CountLimitsService,
    private readonly searches: SearchIndexService,
  ) {
    const options = { intervalMs: INTERVAL_MS, failure: 'Could not look for imports' };
    this.work = background.add('imports', () => this.runDue(), options);
    this.readings = background.add('import-sources', () => this.readDue(), options);
  }

  /** Starts what is due, or looks again after the current run. */
  start(): void {
    this.work.start();
    this.readings.start();
  }

  /** Resolves when no import is running in the background. */
  async whenIdle(): Promise<void> {
    while (!this.work.isIdle || !this.readings.isIdle) {
      await this.work.whenIdle();
      await this.readings.whenIdle();
    }
  }

  /**
   * Runs an import to its end.
   * @returns undefined while another worker has it, or if it is not running
   * @throws the error that has stopped it, or the reason of the interruption; it can go on later
   */
  async run(id: number, options: ImportRunOptions = {}): Promise<ImportRow | undefined> {
    const token = randomUUID();
    this.active.add(token);
    try {
      const lease = await ImportLease.take(this.transactions, this.runs, id, {
        token,
        heldBy: await this.deadToken(id),
      });
      if (!lease) return undefined;
      const signals = [this.work.signal, ...(options.signal ? [options.signal] : [])];
      await this.runPhases(lease, { ...options, signal: AbortSignal.any(signals) });
      return await this.runs.find(id);
    } finally {
      this.active.delete(token);
    }
  }

  private async runDue(): Promise<void> {
    const found = await this.findUnfinished();
    await this.spool.removeUnused(new Set(found.map(({ spool }) => spool)));
    for (const { id, state } of found) {
      if (state === ImportState.Cancelling && !this.work.isStopping) await this.cancellation.finish(id);
    }
    await this.runEach(found, (phase) => !READING_PHASES.has(phase));
  }

  private async readDue(): Promise<void> {
    await this.runEach(await this.findUnfinished(), (phase) => READING_PHASES.has(phase));
  }

  private findUnfinished(): Promise<UnfinishedImport[]> {
    return this.runs.findInStates([ImportState.Running, ImportState.Stopped, ImportState.Cancelling]);
  }

  /** @param only the phases that this work runs */
  private async runEach(found: readonly UnfinishedImport[], only: (phase: string) => boolean): Promise<void> {
    for (const { id, state, phase, spool } of found) {
      if (this.work.isStopping) return;
      if (state !== ImportState.Running || !only(phase) || !(await this.hasContents(spool, phase))) continue;
      await this.run(id, { only }).catch((error: unknown) => {
        if (isRefusal(error)) this.logger.warn(`Import ${id} has stopped: ${explain(error)}`);
        else if (!this.work.isStopping) this.logger.error({ err: error }, `Could not end import ${id}`);
      });
    }
  }

  /** Whether this machine has what a phase needs. */
  private hasContents(spool: string, phase: string): Promise<boolean> {
    return phase === 'read' ? this.spool.hasSecrets(spool) : this.spool.has(spool);
  }

  /** The embedded database belongs to this process, so that a worker of another one is dead. */
  private async deadToken(id: number): Promise<string | null> {
    if (!isEmbedded(this.dataSource)) return null;
    const held = await this.runs.findInStates([ImportState.Running]);
    const token = held.find((run) => run.id === id)?.leaseToken ?? null;
    return token !== null && this.active.has(token) ? null : token;
  }

  private async runPhases(
    lease: ImportLease,
    { only = () => true, onProgress, signal }: ImportRunOptions & { signal: AbortSignal },
  ): Promise<void> {
    const run = (await this.runs.find(lease.importId)) as ImportRow;
    const { spool } = run;
    const stopHeartbeat = lease.keepAlive();
    try {
      const context: ImportContext = {
        run,
        kinds: await recordKinds(),
        archive: this.spool.archiveOf(spool),
        folder: this.spool.folderOf(spool),
        lease,
        signal,
        progress: (done, total) => onProgress?.(lease.position.phase as ImportPhase, done, total),
      };
      if (lease.position.phase === 'read' && run.source) await this.reading.read(context, run.source);
      if (run.source && !only(lease.position.phase)) {
        await this.handOver(lease);
        return;
      }
      if (lease.position.phase === 'check') await this.check(context);
      const planned = await this.planned(context);
      for (const phase of IMPORT_PHASES.slice(IMPORT_PHASES.indexOf(lease.position.phase as ImportPhase))) {
        signal.throwIfAborted();
        if (run.source && !only(phase)) {
          await this.handOver(lease);
          return;
        }
        await this.phases[phase](planned);
        const next = IMPORT_PHASES[IMPORT_PHASES.indexOf(phase) + 1];
        if (next) await lease.move({ phase: next, kind: '', done: 0 });
      }
      await this.spool.remove(spool);
    } catch (error) {
      await this.end(lease, run, signal, error);
      throw error;
    } finally {
      stopHeartbeat();
    }
  }

  /** Leaves an import to the other work. */
  private async handOver(lease: ImportLease): Promise<void> {
    await lease.release();
    this.start();
  }

  /** Leaves an import to the next worker, or stops it with the reason. */
  private async end(
    lease: ImportLease,
    { spool, source, name }: ImportRow,
    signal: AbortSignal,
    error: unknown,
  ): Promise<void> {
    if (error instanceof ImportLostError) return;
    try {
      if (signal.aborted || isUnavailable(error)) await lease.release();
      else {
        // What took hours to read is not thrown away because a key is taken.
        const isRefused =
          lease.position.phase === 'check' && !source && isRefusal(error) && !isOfSystem(error);
        // The person knows the archive by its name, not by its path in the spool.
        const reason = explain(error).replaceAll(this.spool.archiveOf(spool), name);
        const isEnded = await lease.stop(reason.slice(0, MAX_ERROR_LENGTH), isRefused);
        if (isRefused && isEnded) await this.spool.remove(spool);
      }
    } catch {
      // Without the database, the lease expires.
    }
  }

  private readonly phases: Readonly<Record<ImportPhase, (context: PlannedContext) => Promise<void>>> = {
    // Both before the plan.
    read: () => Promise.resolve(),
    check: () => Promise.resolve(),
    write: (context) =>
      writeRecords(context, {
        dataSource: this.dataSource,
        runs: this.runs,
        users: this.users,
        agents: this.agents,
        newKey: () => this.attachments.newKey(),
      }),
    link: linkRecords,
    files: (context) => storeFiles(context, this.attachments),
    repositories: (context) => makeRepositories(context, this.repositories),
    derive: (context) =>
      derive(context, {
        environment: this.environment,
        counters: this.counters,
        limits: this.limits,
        searches: this.searches,
      }),
    verify: (context) => this.verify(context),
    compare: (context) =>
      context.run.source ? this.reading.compare(context, context.run.source) : Promise.resolve(),
    publish: (context) => this.publish(context),
  };

  private async check(context: ImportContext): Promise<void> {
    const { run, kinds, folder, lease } = context;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const checked = await checkImport(partsOf(context), kinds, folder, this.dataSource, (done) =>
      context.progress(done, 0),
    );
    const plan = await this.plans.make(checked, run.options, run.name);
    plan.losses.unshift(...(run.source?.losses ?? []));
    await lease.move({ phase: 'write', kind: '', done: 0 }, (manager) =>
      this.runs.update(manager, run.id, { plan }),
    );
    run.plan = plan;
  }

  private async planned(context: ImportContext): Promise<PlannedContext> {
    const { run, folder, kinds } = context;
    const plan = run.plan as ImportPlan;
    const keys = RenamedKeys.of(plan.projects);
    const masks = { uid: plan.uidMask, digest: plan.uidMask ?? keys?.name };
    const ids = new ImportIds(await loadIds(folder, kinds, plan.records), run.bases, masks);
    ids.setPeople(await this.runs.findPeople(run.id));
    return Object.assign(context, { plan, ids, keys });
  }

  private async verify(context: PlannedContext): Promise<void> {
    const { compared, differences } = await verifyRows(context, this.dataSource, this.environment);
    const { plan, ids, run, lease } = context;
    const report: ImportReport = {
      projects: plan.projects.map(({ id, as }) => ({ id: ids.of('project', id), key: as })),
      compared,
      differences,
      losses: plan.losses,
    };
    await lease.write((manager) => this.runs.update(manager, run.id, { report }));
    run.report = report;
    if (differences.length === 0) return;
    const named = differences.map(({ kind, expected, found }) => `${kind} (${found} of ${expected})`);
    throw new ImportError(
      `Rows differ from the archive: ${named.join(', ')}. Cancel the import, and begin again.`,
    );
  }

  private async publish({ plan, ids, run, lease }: PlannedContext): Promise<void> {
    const actor = run.createdUserId === null ? COMMAND_LINE : { id: run.createdUserId, address: null };
    const projects = plan.projects.map(({ id, as: key, name }) => ({ id: ids.of('project', id), key, name }));
    const projectIds = projects.map(({ id }) => id);
    await lease.write(async (manager) => {
      await this.replacement.replace(manager, actor, run.id, plan.replaced ?? []);
      await this.projects.publish(manager, actor, run.id, projects);
      const last = await this.replacement.lastActivities(manager, projectIds);
      const published = projects.map(({ id, key }, at) => ({ id, key, lastActivityId: last[at] }));
      await this.runs.update(manager, run.id, {
        ...{ state: ImportState.Done, finished: Date.now(), error: '' },
        ...{ leaseUntil: 0, leaseToken: null },
        report: { ...(run.report as ImportReport), projects: published },
      });
    });
  }
}

/** Whether the archive or the space does not permit an import, as opposed to a failure of the service. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ImportError ||
  error instanceof BackupError ||
  error instanceof DomainError ||
  isRefusedByGit(error);

/** Whether git does not accept a repository, as opposed to git being killed, or the disk being full. */
const isRefusedByGit = (error: unknown): error is GitError =>
  error instanceof GitError && error.code !== null && !isFullDisk(error.stderr);

/** Whether the system has caused a refusal: an archive that cannot be opened now, for example, may be good. */
const isOfSystem = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && 'syscall' in error.cause;

/** Returns why an import has stopped, in one line for a person. */
function explain(error: unknown): string {
  if (error instanceof ImportError || error instanceof BackupError) return error.message;
  if (error instanceof DomainError) {
    const { cause, message } = error;
    return cause instanceof Error ? `${message} (${cause.message})` : message;
  }
  if (isRefusedByGit(error)) return `Git refuses a repository: ${error.message}`;
  if (error instanceof GitError) return `Git could not store a repository: ${error.message}`;
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined ? 'An unexpected error, which the log has.' : `${message}.`;
}
