import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment';
import { EncryptionService } from '../encryption/encryption.service';
import { lossLine } from '../sources/losses';
import { type ReadingProgress, type ReadingSource } from '../sources/reading/reading-request';
import { compareOnThread, type ReadingCalls, readOnThread } from '../sources/reading/source-thread';
import { SourceError } from '../sources/source.error';
import { type ReadState } from '../sources/read-state';
import { ImportRunRepository } from './data/import-run.repository';
import { ImportError } from './import.error';
import { type ImportContext } from './import-context';
import { type ImportReport, type SourceComparison } from './import-plan';
import { type ImportSource, type SourceSecrets } from './import-source';
import { ImportSpoolService } from './import-spool.service';

/** How often the progress is stored, and a cancelled import noticed, in milliseconds. */
const PROGRESS_MS = 3000;
/** The folder with the answers of the source, in that of the import. */
const ANSWERS = 'source';

/**
 * Reads a source into the archive of an import, and once more to compare it (`docs/decisions/0073-sources-over-the-api.md`). What was read
 * stays in the folder of the import until this has ended, so that a killed reading goes on.
 */
@Injectable()
export class ImportReadingService {
  constructor(
    private readonly environment: Environment,
    private readonly encryption: EncryptionService,
    private readonly runs: ImportRunRepository,
    private readonly spool: ImportSpoolService,
  ) {}

  /** Returns the secrets of a source as they are stored: in the folder of the import, so that no backup has them. */
  sealed(secrets: SourceSecrets): string {
    return this.encryption.encrypt(JSON.stringify(secrets));
  }

  /**
   * Reads the source, and moves to the check of the archive.
   * @throws ImportError if it cannot be read
   */
  async read(context: ImportContext, source: ImportSource): Promise<void> {
    const { bytes, losses, state } = await this.watch(context, source, (reading, calls) =>
      readOnThread(reading, context.archive, this.environment, calls),
    ).catch((error: unknown) => {
      throw error instanceof SourceError ? new ImportError(error.message, { cause: error }) : error;
    });
    const read: ImportSource = { ...source, losses: losses.map(lossLine), state };
    await context.lease.move({ phase: 'check', kind: '', done: 0 }, (manager) =>
      this.runs.update(manager, context.run.id, { size: bytes, source: read }),
    );
    context.run.source = read;
  }

  /** Reads the source again, and stores what differs from what was imported. */
  async compare(context: ImportContext, source: ImportSource): Promise<void> {
    const { run, lease } = context;
    const state = source.state as ReadState;
    const comparison: SourceComparison = await this.watch(context, source, (reading, calls) =>
      compareOnThread(reading, state, this.environment, calls),
    ).then(
      (differences) => ({ compared: countOf(state), differences, error: '' }),
      (error: unknown) => {
        if (!(error instanceof SourceError)) throw error;
        return { compared: 0, differences: [], error: error.message };
      },
    );
    const report: ImportReport = { ...(run.report as ImportReport), source: comparison };
    await lease.write((manager) => this.runs.update(manager, run.id, { report }));
    run.report = report;
  }

  /** Stores the progress of a reading until it has ended, and stops it when the import has been cancelled. */
  private async watch<T>(
    context: ImportContext,
    source: ImportSource,
    read: (reading: ReadingSource, calls: ReadingCalls) => Promise<T>,
  ): Promise<T> {
    const stopping = new AbortController();
    let latest: ReadingProgress = { ...source.reading, done: context.lease.position.done };
    const result = read(await this.readingOf(context, source), {
      signal: AbortSignal.any([context.signal, stopping.signal]),
      onProgress: (progress) => (latest = progress),
    });
    const ended = result.then(
      () => true,
      () => true,
    );
    try {
      while (!(await Promise.race([ended, sleep(PROGRESS_MS, false, { ref: false })])))
        await this.store(context, source, latest);
    } catch (error) {
      stopping.abort();
      await ended;
      throw error;
    }
    return result;
  }

  private async readingOf(context: ImportContext, source: ImportSource): Promise<ReadingSource> {
    const { from, projects, projectKeys, textFormat, gitUser } = source;
    return {
      from,
      options: {
        ...{ projects, textFormat, gitUser, projectKeys: new Map(projectKeys) },
        ...(await this.secretsOf(context)),
        spool: join(context.folder, ANSWERS),
      },
    };
  }

  private async store(
    { run, lease, progress }: ImportContext,
    source: ImportSource,
    { what, done, total, waitingUntil }: ReadingProgress,
  ): Promise<void> {
    progress(done, total);
    const reading = { what, total, waitingUntil };
    await lease.move({ done }, (manager) =>
      this.runs.update(manager, run.id, { source: { ...source, reading } }),
    );
  }

  private async secretsOf({ run }: ImportContext): Promise<SourceSecrets> {
    const sealed = await this.spool.secretsOf(run.spool);
    const text = this.encryption.tryDecrypt(sealed);
    if (text === undefined) {
      throw new ImportError(
        'The encryption key with which the key of the source was encrypted is missing: cancel the import, and begin again.',
      );
    }
    return JSON.parse(text) as SourceSecrets;
  }
}

const countOf = ({ records }: ReadState): number =>
  Object.values(records).reduce((sum, { count }) => sum + count, 0);
