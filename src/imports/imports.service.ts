import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { type AuditedCaller, hasLimitedKey } from '../access/caller';
import { type Actor } from '../audit-log/actor';
import { Environment } from '../config/environment';
import { TransactionsService } from '../database/transactions/transactions.service';
import {
  ConflictError,
  InvalidRequestError,
  NoResourceError,
  UnauthorizedOperationError,
} from '../errors/domain-errors';
import { type ReadRequest } from '../http/request/request-reader.guard';
import { noFileError, receiveForm } from '../attachments/upload-reader';
import { AddressGuard, RefusedAddressError } from '../outgoing/address-guard';
import { ImportedProjectsService } from '../projects/imported-projects.service';
import { type ImportDto } from './dto/import.dto';
import { ImportCancellationService } from './import-cancellation.service';
import { ImportForm, MAX_NAME_LENGTH } from './import-fields';
import { type ImportOptions } from './import-options';
import { ImportReadingService } from './import-reading.service';
import { type ImportSource, type RequestedSource } from './import-source';
import { ImportRunRepository } from './data/import-run.repository';
import { ImportSpoolService, type SpooledArchive } from './import-spool.service';
import { ImportState } from './import-state';
import { ImportWorkerService } from './import-worker.service';
import { toImportDto } from './import.mapper';

/** The most imports that a list returns, and the most that have not ended. */
const MAX_LISTED = 100;
const MAX_UNFINISHED = 50;

/** An archive, and what lists show. */
interface NamedArchive {
  name: string;
  archive: SpooledArchive;
}

/** Begins, shows, resumes and cancels imports of archives and sources. */
@Injectable()
export class ImportsService {
  constructor(
    private readonly environment: Environment,
    private readonly transactions: TransactionsService,
    private readonly runs: ImportRunRepository,
    private readonly spool: ImportSpoolService,
    private readonly reading: ImportReadingService,
    private readonly projects: ImportedProjectsService,
    private readonly worker: ImportWorkerService,
    private readonly cancellation: ImportCancellationService,
  ) {}

  /**
   * Begins an import of the file of a multipart request, or of the source that it names; the service goes on in the background.
   * @throws InvalidRequestError, TooLargeFileError, ConflictError
   */
  async addFrom(request: ReadRequest, caller: AuditedCaller): Promise<ImportDto> {
    await this.requireRoom();
    const form = new ImportForm();
    const received = await receiveForm(
      request,
      this.environment.MAX_IMPORT_SIZE,
      async (name, content) => {
        // What came before the file is refused before the file is stored.
        form.archiveOptions();
        return { name, archive: await this.spool.receive(content) };
      },
      form.receivers,
    );
    const id = received
      ? await this.addArchive(caller, received.value, form)
      : await this.addSource(caller, form);
    this.worker.start();
    return this.get(id);
  }

  private async addArchive(caller: AuditedCaller, received: NamedArchive, form: ImportForm): Promise<number> {
    try {
      const options = form.archiveOptions();
      requirePermitted(caller, options);
      return await this.begin(caller, received, options);
    } catch (error) {
      await this.spool.remove(received.archive.spool);
      throw error;
    }
  }

  private async addSource(caller: AuditedCaller, form: ImportForm): Promise<number> {
    if (!form.isSource) throw noFileError();
    const { source, options } = form.source();
    requirePermitted(caller, options);
    this.requireAllowed(source);
    await this.requireFreeKeys(source, options);
    const { from, keys, gitPassword, projects, projectKeys, textFormat, gitUser } = source;
    const spool = await this.spool.prepare(this.reading.sealed({ keys, gitPassword }));
    return this.begin(caller, { name: from, archive: { spool, size: 0 } }, options, {
      ...{ from, projects, projectKeys, textFormat, gitUser },
      reading: { what: '', total: 0, waitingUntil: null },
    });
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
    { name, archive }: NamedArchive,
    options: ImportOptions,
    source: ImportSource | null = null,
  ): Promise<number> {
    try {
      return await this.transactions.run((manager) =>
        this.runs.insert(manager, {
          name: storedName(name),
          ...archive,
          options,
          source,
          createdUserId,
          created: Date.now(),
        }),
      );
    } catch (error) {
      await this.spool.remove(archive.spool);
      throw error;
    }
  }

  /** Names what is refused without a look-up at once; the rest is found by the reading. */
  private requireAllowed({ origins }: RequestedSource): void {
    const guard = new AddressGuard('IMPORT_SOURCE_ALLOW', this.environment.IMPORT_SOURCE_ALLOW);
    try {
      for (const origin of origins) guard.checkUrl(origin);
    } catch (error) {
      if (!(error instanceof RefusedAddressError)) throw error;
      throw InvalidRequestError.of('from', error.message);
    }
  }

  /** Names keys that are taken before hours of reading. */
  private async requireFreeKeys({ projectKeys }: RequestedSource, { follows }: ImportOptions): Promise<void> {
    const keys = projectKeys.map(([, key]) => key);
    if (follows || keys.length === 0) return;
    const [taken] = await this.projects.findTakenKeys(keys);
    if (taken) throw InvalidRequestError.of('project', `The space already has the project ${taken.key}.`);
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

function requirePermitted(caller: AuditedCaller, { keepsAccounts }: ImportOptions): void {
  if (keepsAccounts && hasLimitedKey(caller))
    throw new UnauthorizedOperationError('A key with limits cannot add users as they were.');
}

const storedName = (name: string): string => name.slice(0, MAX_NAME_LENGTH).toWellFormed();

/** The error of an import that can neither go on nor be cancelled. */
export const endedError = (): ConflictError => ConflictError.of('importId', 'The import has ended.');

/** The error of one import too many. */
export const tooManyError = (): ConflictError =>
  ConflictError.of('file', `${MAX_UNFINISHED} imports have not ended: wait, or cancel some.`);
