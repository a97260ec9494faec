import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { type AuditedCaller, hasLimitedKey } from '../access/caller';
import { type Actor } from '../audit-log/actor';
import { Environment } from '../config/environment';
import { TransactionsService } from '../database/transactions/transactions.service';
import { ConflictError, NoResourceError, UnauthorizedOperationError } from '../errors/domain-errors';
import { type ReadRequest } from '../http/request/request-reader.guard';
import { receiveFile } from '../attachments/upload-reader';
import { type ImportDto } from './dto/import.dto';
import { ImportCancellationService } from './import-cancellation.service';
import { optionsOf } from './import-fields';
import { type ImportOptions } from './import-options';
import { ImportRunRepository } from './data/import-run.repository';
import { ImportSpoolService, type SpooledArchive } from './import-spool.service';
import { ImportState } from './import-state';
import { ImportWorkerService } from './import-worker.service';
import { toImportDto } from './import.mapper';

/** The most imports that a list returns, and the most that have not ended. */
const MAX_LISTED = 100;
const MAX_UNFINISHED = 50;
const MAX_NAME_LENGTH = 255;

/** Begins, shows, resumes and cancels imports of archives. */
@Injectable()
export class ImportsService {
  constructor(
    private readonly environment: Environment,
    private readonly transactions: TransactionsService,
    private readonly runs: ImportRunRepository,
    private readonly spool: ImportSpoolService,
    private readonly worker: ImportWorkerService,
    private readonly cancellation: ImportCancellationService,
  ) {}

  /**
   * Begins an import with the file of a multipart request; the service goes on in the background.
   * @throws InvalidRequestError, TooLargeFileError, ConflictError
   */
  async upload(request: ReadRequest, caller: AuditedCaller): Promise<ImportDto> {
    await this.requireRoom();
    const { receivers, options } = optionsOf();
    const received = await receiveFile(
      request,
      this.environment.MAX_IMPORT_SIZE,
      async (name, content) => ({ name, archive: await this.spool.receive(content) }),
      receivers,
    );
    if (options.keepsAccounts && hasLimitedKey(caller)) {
      await this.spool.remove(received.archive.spool);
      throw new UnauthorizedOperationError('A key with limits cannot add users as they were.');
    }
    const id = await this.begin(caller, received, options);
    this.worker.start();
    return this.get(id);
  }

  /**
   * Begins an import of a file of this machine, which is copied first.
   * @param name what lists show; the name of the file by default
   * @returns its id
   */
  async add(
    actor: Actor,
    path: string,
    options: ImportOptions,
    { name = basename(path), signal }: { name?: string; signal?: AbortSignal } = {},
  ): Promise<number> {
    await this.requireRoom();
    const archive = await this.spool.copy(path, signal);
    return this.begin(actor, { name, archive }, options);
  }

  /**
   * Same, but goes on with an import of the same name, archive and options that has not ended.
   * @throws ConflictError if another import of this name has not ended
   */
  async addOrResume(
    actor: Actor,
    path: string,
    options: ImportOptions,
    more: { name: string; signal?: AbortSignal },
  ): Promise<{ id: number; isResumed: boolean }> {
    const name = storedName(more.name);
    const [pending] = await this.runs.findNamed(name, [ImportState.Running, ImportState.Stopped]);
    if (!pending) return { id: await this.add(actor, path, options, more), isResumed: false };
    const { id, spool } = pending;
    const isSame = isDeepStrictEqual(pending.options, options) && (await this.spool.hasSame(spool, path));
    if (!isSame) {
      throw ConflictError.of(
        'name',
        `Import ${id} of the same name has not ended, and has another archive or other options: use pms import --resume ${id} or --cancel ${id} first.`,
      );
    }
    await this.resume(id, false);
    return { id, isResumed: true };
  }

  /** Returns the latest imports, newest first. */
  async list(): Promise<ImportDto[]> {
    return (await this.runs.findLatest(MAX_LISTED)).map(toImportDto);
  }

  /** @throws NoResourceError */
  async get(id: number): Promise<ImportDto> {
    const run = await this.runs.find(id);
    if (!run) throw new NoResourceError('import');
    return toImportDto(run);
  }

  /**
   * Lets a stopped import go on.
   * @param isBackground whether the service goes on with it, and not the caller
   * @throws NoResourceError, ConflictError if it has ended
   */
  async resume(id: number, isBackground = true): Promise<void> {
    await this.transactions.run(async (manager) => {
      const run = await this.runs.lock(manager, id);
      if (!run) throw new NoResourceError('import');
      if (run.state === ImportState.Running) return;
      if (run.state !== ImportState.Stopped) throw endedError();
      await this.runs.update(manager, id, { state: ImportState.Running, error: '' });
    });
    if (isBackground) this.worker.start();
  }

  /**
   * Cancels an import, and begins to remove what it has written.
   * @throws ConflictError if it has ended
   */
  async cancel(id: number): Promise<ImportDto> {
    if (!(await this.cancellation.cancel(id))) throw endedError();
    await this.cancellation.finish(id);
    return this.get(id);
  }

  private async begin(
    { id: createdUserId }: Actor,
    { name, archive }: { name: string; archive: SpooledArchive },
    options: ImportOptions,
  ): Promise<number> {
    try {
      return await this.transactions.run((manager) =>
        this.runs.insert(manager, {
          name: storedName(name),
          ...archive,
          options,
          createdUserId,
          created: Date.now(),
        }),
      );
    } catch (error) {
      await this.spool.remove(archive.spool);
      throw error;
    }
  }

  private async requireRoom(): Promise<void> {
    const unfinished = await this.runs.findInStates([
      ImportState.Running,
      ImportState.Stopped,
      ImportState.Cancelling,
    ]);
    if (unfinished.length >= MAX_UNFINISHED) throw tooManyError();
  }
}

const storedName = (name: string): string => name.slice(0, MAX_NAME_LENGTH).toWellFormed();

/** The error of an import that can neither go on nor be cancelled. */
export const endedError = (): ConflictError => ConflictError.of('importId', 'The import has ended.');

/** The error of one import too many. */
export const tooManyError = (): ConflictError =>
  ConflictError.of('file', `${MAX_UNFINISHED} imports have not ended: wait, or cancel some.`);
