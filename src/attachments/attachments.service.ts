import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Environment } from '../config/environment';
import { BackgroundService } from '../background/background.service';
import { type BackgroundWork } from '../background/background-work';
import { commitsSynced } from '../database/sqlite/sqlite-connections';
import { TransactionsService } from '../database/transactions/transactions.service';
import { uploadsBegun, uploadsEnded } from '../diagnostics/channels';
import {
  InvalidRequestError,
  NoResourceError,
  type ReadValidIds,
  ServiceUnavailableError,
} from '../errors/domain-errors';
import { isCleanText, isNoLongerThan } from '../http/request/text';
import { FileAnswer } from '../http/response/file-answer';
import { type ReadRequest } from '../http/request/request-reader.guard';
import { UsedStorageService } from '../space/used-storage.service';
import { type Caller } from '../access/caller';
import { pastChangeOf } from '../access/past-change';
import { AttachmentRepository, type StoredFileRow } from './data/attachment.repository';
import { type AttachmentDto } from './dto/attachment.dto';
import { FileStorage, toStorageError, UncertainWriteError } from './file-storage';
import { UPLOAD_LIFETIME_MS, UploadLimitsService } from './upload-limits.service';
import { type FieldReceivers, receiveFile } from './upload-reader';

const CLEANING_INTERVAL_MS = 5 * 60_000;
/** Time between an upload's expiry and its removal, so that an upload is not removed while it is being attached, in milliseconds. */
const GRACE_MS = 5 * 60_000;
const CLEANING_BATCH = 100;
const MAX_NAME_LENGTH = 255;
/** Maximum size of the form around a file, in bytes: the boundaries, and a head of 16 KiB, the parser's limit. */
const MAX_FORM_OVERHEAD = 20 * 1024;

/** Options of an upload. */
export interface UploadForm {
  /** Receivers of the form's other fields. */
  fields?: FieldReceivers;
  /** Checks the file's name before anything is stored, and returns the name to store. */
  toName?: (name: string) => string;
}

/**
 * Manages files, which are uploaded first and attached later. A file's row is inserted before its content is written and deleted
 * after its content is removed, so that a crash leaves no untracked file.
 */
@Injectable()
export class AttachmentsService implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(AttachmentsService.name);
  private readonly cleaning: BackgroundWork;

  constructor(
    background: BackgroundService,
    private readonly dataSource: DataSource,
    private readonly attachments: AttachmentRepository,
    private readonly transactions: TransactionsService,
    private readonly storage: FileStorage,
    private readonly usedStorage: UsedStorageService,
    private readonly limits: UploadLimitsService,
    private readonly environment: Environment,
  ) {
    this.cleaning = background.add('upload_removal', () => this.removeExpired(), {
      intervalMs: CLEANING_INTERVAL_MS,
      failure: 'Could not remove old uploads',
    });
  }

  /** Prevents startup with an unusable storage. */
  async onModuleInit(): Promise<void> {
    await this.storage.prepare(await this.attachments.hasStored());
  }

  onApplicationShutdown(): Promise<void> {
    return this.storage.close();
  }

  /**
   * Stores the file of a multipart request; it belongs to the caller until it is attached.
   * @throws InvalidRequestError, TooLargeFileError, SpaceOverCapacityError, ResourceOverflowError, and the errors of the form's fields
   */
  upload(request: ReadRequest, caller: Caller, form: UploadForm = {}): Promise<AttachmentDto> {
    const { fields, toName = (name) => name } = form;
    const { MAX_FILE_SIZE } = this.environment;
    const length = Number(request.headers['content-length'] ?? 0);
    const minSize = Math.min(Math.max(length - MAX_FORM_OVERHEAD, 0), MAX_FILE_SIZE);
    return announced(() =>
      receiveFile(
        request,
        MAX_FILE_SIZE,
        async (name, content) => this.store(caller, toName(toFileName(name)), content, minSize),
        fields,
      ),
    );
  }

  /**
   * Stores the file of a multipart request after checking its whole content; it belongs to the caller until it is attached.
   * @param maxSize maximum size in bytes, all of which is held in memory
   * @param check returns the name of the file, or throws
   * @throws InvalidRequestError, TooLargeFileError, SpaceOverCapacityError, ResourceOverflowError, and the errors of `check`
   */
  uploadChecked(
    request: ReadRequest,
    caller: Caller,
    maxSize: number,
    check: (content: Buffer) => string,
  ): Promise<AttachmentDto> {
    const limit = Math.min(maxSize, this.environment.MAX_FILE_SIZE);
    return announced(() =>
      receiveFile(request, limit, async (_name, content) => {
        const bytes = await buffer(content);
        return this.store(caller, check(bytes), Readable.from([bytes], { objectMode: false }), bytes.length);
      }),
    );
  }

  /**
   * Marks uploads of the caller as used, which is possible once, and returns them in the requested order. Those of a past change get its
   * author and time.
   * @throws InvalidRequestError naming the ids that do not exist, belong to another user, have been used or have expired
   */
  async claim(
    manager: EntityManager,
    caller: Caller,
    ids: readonly number[],
    field: string,
  ): Promise<AttachmentDto[]> {
    if (ids.length === 0) return [];
    const usable = {
      ids,
      userId: caller.id,
      keyId: caller.limitedKeyId,
      after: Date.now() - UPLOAD_LIFETIME_MS,
    };
    const rows = await this.attachments.findUsable(manager, usable);
    const byId = new Map(rows.map((row) => [row.id, row]));
    const missing = ids.filter((id) => !byId.has(id));
    if (missing.length > 0) {
      throw unusableFilesError(missing, field, (limit) => this.attachments.findFirstUsableIds(usable, limit));
    }
    const claimed = await this.attachments.markAttached(manager, usable, pastChangeOf(manager));
    if (claimed < ids.length) throw unusableFilesError(ids, field);
    return ids.map((id) => byId.get(id) as AttachmentDto);
  }

  /**
   * Returns the content of an attached file.
   * @throws NoResourceError when there is no such file
   */
  async open(id: number): Promise<FileAnswer> {
    const { storageKey, name, size } = await this.getAttached(id);
    const open = async (gone: AbortSignal): Promise<Readable> => {
      try {
        return await this.storage.read(storageKey, gone);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw toStorageError(error);
      }
      // It may have been removed concurrently.
      await this.getAttached(id);
      await this.requireStorage();
      this.logger.error(`The bytes of attachment ${id} are lost: the storage has no ${storageKey}`);
      throw new NoResourceError('attachment');
    };
    return new FileAnswer({ name, size, open });
  }

  /**
   * Releases files that are no longer attached. They count as expired uploads from then on: they cannot be attached again, and are
   * removed after the transaction commits.
   */
  async release(manager: EntityManager, ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    await this.attachments.detach(manager, ids);
    this.transactions.afterCommit(manager, () => this.cleaning.start());
  }

  /** Returns an unused key for a row that an import writes, and for its content. */
  newKey(): string {
    return this.storage.newKey();
  }

  /**
   * Stores the content of a file whose row an import has written, and counts it. A content that is already there comes from an import that was
   * killed.
   * @param content undefined for a lost file, which is counted as elsewhere
   * @param commit runs work in the transaction of the import
   * @throws SpaceOverCapacityError, ServiceUnavailableError when the storage is unavailable
   */
  async storeImported(
    id: number,
    size: number,
    content: Readable | undefined,
    commit: (work: (manager: EntityManager) => Promise<void>) => Promise<void>,
  ): Promise<void> {
    const { storageKey } = await this.getAttached(id);
    if (content) {
      try {
        await this.storage.remove(storageKey);
        const written = await this.storage.write(storageKey, content);
        if (written !== size) throw new Error(`The file ${id} was stored only in part`);
      } catch (error) {
        throw toStorageError(error);
      }
    }
    await commit(async (manager) => {
      await this.usedStorage.take(manager, size);
      if (!(await this.attachments.markStored(manager, id, size))) throw new NoResourceError('attachment');
    });
  }

  /** Removes an upload whose request has been refused. If the process dies first, the upload expires as usual. */
  async abandon(id: number): Promise<void> {
    await this.expire(id, 0);
    this.cleaning.start();
  }

  /**
   * Removes the file under a key unless it has a row.
   * @param olderThanMs how long ago it must have been written: a database node may see its row late
   * @returns 'new' if it is not old enough, 'gone' if it has a row or does not exist
   */
  async removeOrphan(key: string, olderThanMs: number): Promise<'removed' | 'new' | 'gone'> {
    if (await this.attachments.hasKey(key)) return 'gone';
    const written = await this.storage.writtenAt(key);
    if (written === undefined) return 'gone';
    // A time that cannot be read is not old.
    if (!(Date.now() - written >= olderThanMs)) return 'new';
    await this.storage.putAside(key);
    return 'removed';
  }

  /** Removes uploads that were not attached within an hour, files first, and the files that were put aside long ago. */
  async removeExpired(now = Date.now()): Promise<void> {
    // The next run retries.
    await this.storage
      .removeOrphans()
      .catch((error: unknown) => this.logger.error({ err: error }, 'Could not remove orphaned files'));
    let after = 0;
    for (;;) {
      const rows = await this.attachments.findExpired(
        now - UPLOAD_LIFETIME_MS - GRACE_MS,
        after,
        CLEANING_BATCH,
      );
      await commitsSynced(this.dataSource);
      for (const row of rows) {
        after = row.id;
        // The next run retries; the other files are still removed.
        await this.remove(row).catch((error: unknown) =>
          this.logger.error({ err: error }, `Could not remove upload ${row.id}`),
        );
      }
      if (rows.length < CLEANING_BATCH || this.cleaning.isStopping) return;
    }
  }

  /**
   * Stores bytes as an upload of the caller.
   * @param name a valid file name
   * @param minSize minimum size to expect, in bytes; if there is no room for it, the upload is refused before its content arrives
   * @throws SpaceOverCapacityError, ResourceOverflowError, ServiceUnavailableError when the storage is unavailable
   */
  async store(caller: Caller, name: string, content: Readable, minSize = 0): Promise<AttachmentDto> {
    const storageKey = this.storage.newKey();
    const created = Date.now();
    await this.requireStorage();
    const id = await this.transactions.run(async (manager) => {
      await this.limits.requireRoom(manager, caller, minSize);
      return this.attachments.insert(manager, {
        storageKey,
        name,
        size: minSize,
        createdUserId: caller.id,
        uploadKeyId: caller.limitedKeyId ?? null,
        created,
      });
    });
    try {
      const size = await this.storage.write(storageKey, content);
      await this.transactions.run(async (manager) => {
        await this.usedStorage.take(manager, size);
        await this.limits.requireRoomForBytes(manager, caller, size);
        const isMarked = await this.attachments.markStored(manager, id, size);
        if (!isMarked) throw new ServiceUnavailableError('The upload took too long and was removed.');
      });
      return { id, name, size };
    } catch (error) {
      // If the upload were removed now, its content could still appear later, without a row.
      if (error instanceof UncertainWriteError) await this.expire(id, Date.now() - UPLOAD_LIFETIME_MS);
      else await this.discard({ id, storageKey });
      throw toStorageError(error);
    }
  }

  private async requireStorage(): Promise<void> {
    try {
      await this.storage.check();
    } catch (error) {
      throw toStorageError(error);
    }
  }

  /** Removes a failed upload. If that fails, the upload is marked as expired and removed later. */
  private async discard(upload: StoredFileRow): Promise<void> {
    try {
      await this.remove(upload);
    } catch (error) {
      this.logger.error({ err: error }, `Could not remove upload ${upload.id}`);
      await this.expire(upload.id, 0);
    }
  }

  /** Marks an upload as expired. If that fails, it expires as usual. */
  private async expire(id: number, created: number): Promise<void> {
    await this.attachments.expire(id, created).catch(() => undefined);
  }

  private async getAttached(id: number) {
    const row = await this.attachments.findAttached(id);
    if (!row) throw new NoResourceError('attachment');
    return row;
  }

  private async remove({ id, storageKey }: StoredFileRow): Promise<void> {
    await this.storage.remove(storageKey);
    await this.transactions.run(async (manager) => {
      // Only the row has the actual size: an upload may have been stored even if the response to COMMIT was lost.
      const row = await this.attachments.lockUnattached(manager, id);
      if (!row) return;
      await this.attachments.remove(manager, id);
      if (row.stored) await this.usedStorage.count(manager, -row.size);
    });
  }
}

function toFileName(given: string): string {
  const name = given.trim();
  if (name === '' || !isCleanText(name) || !isNoLongerThan(name, MAX_NAME_LENGTH)) {
    throw InvalidRequestError.of(
      'file',
      `The file's name must be text of 1 to ${MAX_NAME_LENGTH} characters.`,
    );
  }
  return name;
}

const unusableFilesError = (
  ids: readonly number[],
  field: string,
  readValidIds?: ReadValidIds,
): InvalidRequestError =>
  InvalidRequestError.of(
    field,
    `These uploads do not exist, are attached already or belong to another user: ${ids.slice(0, 20).join(', ')}.`,
    readValidIds,
  );

/** Publishes the begin and the end of an upload. */
async function announced(receive: () => Promise<AttachmentDto>): Promise<AttachmentDto> {
  let stored: AttachmentDto | undefined;
  uploadsBegun.publish({});
  try {
    stored = await receive();
    return stored;
  } finally {
    uploadsEnded.publish({ bytes: stored?.size });
  }
}
