import { type Readable } from 'node:stream';
import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Environment } from '../config/environment';
import { BackgroundWork } from '../database/background-work';
import { insertRow } from '../database/rows';
import { affectedRows, inList, lockRow, placeholders, selectForUpdate } from '../database/statements';
import { TransactionsService } from '../database/transactions.service';
import {
  InvalidRequestError,
  NoResourceError,
  ResourceOverflowError,
  SpaceOverCapacityError,
} from '../errors/domain-errors';
import { isCleanText, isNoLongerThan } from '../http/request/fields';
import { FileAnswer } from '../http/response/file-answer';
import { type ReadRequest } from '../http/request/request-reader.guard';
import { SpaceService } from '../space/space.service';
import { type Caller } from '../access/caller';
import { type AttachmentDto } from './dto/attachment.dto';
import { Attachment } from './entities/attachment.entity';
import { FileStorage, toStorageError } from './file-storage';
import { receiveFile } from './upload-reader';

const HOUR_MS = 3_600_000;
/** An upload that is not attached by then is removed (`docs/decisions/0013-files.md`). */
const LIFETIME_MS = HOUR_MS;
const CLEANING_INTERVAL_MS = 5 * 60_000;
/** Between the end of an upload's life and its removal, so that one that is just being attached is out of reach. */
const GRACE_MS = 5 * 60_000;
const CLEANING_BATCH = 100;
const MAX_NAME_LENGTH = 255;
/** What the form around a file takes at most: the boundaries, and a head of 16 KiB, of which the parser reads no more. */
const MAX_FORM_OVERHEAD = 20 * 1024;

/** What an answer says when a user has as many unattached files as they may. */
export const UNATTACHED_LIMIT =
  'You have too many files that are attached to nothing. Attach them, or wait an hour.';
/** What it says when they are too large. */
export const UNATTACHED_SIZE_LIMIT =
  'Your files that are attached to nothing take too much room. Attach them, or wait an hour.';

/**
 * Files: uploaded first, attached to something later. A file's row is written before its first byte and goes after its
 * last, so that no crash leaves a file that nothing knows of.
 */
@Injectable()
export class AttachmentsService implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(AttachmentsService.name);
  private readonly cleaning = new BackgroundWork(
    () => this.removeExpired(),
    CLEANING_INTERVAL_MS,
    (error) => this.logger.error({ err: error }, 'Could not remove old uploads'),
  );

  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: TransactionsService,
    private readonly storage: FileStorage,
    private readonly space: SpaceService,
    private readonly environment: Environment,
  ) {}

  /** Refuses to start with a storage that cannot be used. */
  async onModuleInit(): Promise<void> {
    const rows = await this.dataSource.query<unknown[]>(
      'SELECT id FROM attachment WHERE `stored` = ? LIMIT 1',
      [true],
    );
    await this.storage.prepare(rows.length > 0);
  }

  onApplicationBootstrap(): void {
    this.cleaning.begin();
  }

  onModuleDestroy(): Promise<void> {
    return this.cleaning.stop();
  }

  /** Resolves when nothing is being removed. */
  whenIdle(): Promise<void> {
    return this.cleaning.whenIdle();
  }

  /**
   * Stores the file of a multipart request; it belongs to the caller until it is attached.
   * @throws InvalidRequestError, TooLargeFileError, SpaceOverCapacityError, ResourceOverflowError
   */
  upload(request: ReadRequest, caller: Caller): Promise<AttachmentDto> {
    const { MAX_FILE_SIZE } = this.environment;
    const length = Number(request.headers['content-length'] ?? 0);
    const minSize = Math.min(Math.max(length - MAX_FORM_OVERHEAD, 0), MAX_FILE_SIZE);
    return receiveFile(request, MAX_FILE_SIZE, async (name, content) =>
      this.store(caller, toFileName(name), content, minSize),
    );
  }

  /**
   * Marks uploads of the caller as used; they can be claimed once. Gives them in the order asked for.
   * @throws InvalidRequestError naming the ids that are missing, somebody else's, used up or too old
   */
  async claim(
    manager: EntityManager,
    caller: Caller,
    ids: readonly number[],
    field: string,
  ): Promise<AttachmentDto[]> {
    if (ids.length === 0) return [];
    const usable = `id IN (${placeholders(ids)}) AND created_user_id = ? AND \`stored\` = ? AND attached = ? AND created > ?`;
    const parameters = [...ids, caller.id, true, false, Date.now() - LIFETIME_MS];
    const rows = await manager.query<AttachmentDto[]>(
      `SELECT id, name, size FROM attachment WHERE ${usable}`,
      parameters,
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    const missing = ids.filter((id) => !byId.has(id));
    if (missing.length > 0) throw cannotBeAttached(missing, field);
    const claimed = await affectedRows(manager, `UPDATE attachment SET attached = ? WHERE ${usable}`, [
      true,
      ...parameters,
    ]);
    if (claimed < ids.length) throw cannotBeAttached(ids, field);
    return ids.map((id) => byId.get(id) as AttachmentDto);
  }

  /**
   * The bytes of a file that is attached to something.
   * @throws NoResourceError when there is none
   */
  async open(id: number): Promise<FileAnswer> {
    const { storageKey, name, size } = await this.getAttached(id);
    const open = async (): Promise<Readable> => {
      try {
        return await this.storage.read(storageKey);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw toStorageError(error);
      }
      // Somebody may have removed it meanwhile.
      await this.getAttached(id);
      await this.requireStorage();
      this.logger.error(`The bytes of attachment ${id} are lost: the storage has no ${storageKey}`);
      throw new NoResourceError('attachment');
    };
    return new FileAnswer({ name, size, open });
  }

  /**
   * Gives up files that are attached to nothing any more. They count as expired uploads from then on: nobody can attach
   * them again, and they are removed as those are, as soon as the transaction has committed.
   */
  async release(manager: EntityManager, ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    const list = inList(ids);
    await manager.query(`UPDATE attachment SET attached = ?, created = 0 WHERE id ${list.sql}`, [
      false,
      ...list.parameters,
    ]);
    this.transactions.afterCommit(manager, () => this.cleaning.start());
  }

  /** Removes uploads that were not attached within an hour, files first. */
  async removeExpired(now = Date.now()): Promise<void> {
    let after = 0;
    for (;;) {
      const rows = await this.dataSource.query<{ id: number; storageKey: string }[]>(
        `SELECT id, storage_key AS storageKey FROM attachment
          WHERE attached = ? AND created < ? AND id > ? ORDER BY id LIMIT ?`,
        [false, now - LIFETIME_MS - GRACE_MS, after, CLEANING_BATCH],
      );
      for (const row of rows) {
        after = row.id;
        // A file that cannot be removed now is met again next time, and keeps no other.
        await this.remove(row).catch((error: unknown) =>
          this.logger.error({ err: error }, `Could not remove upload ${row.id}`),
        );
      }
      if (rows.length < CLEANING_BATCH || this.cleaning.isStopping) return;
    }
  }

  /**
   * Stores bytes as an upload of the caller, under a name that is one.
   * @param minSize how many bytes will come at least: what has no room for them is refused before they come
   * @throws SpaceOverCapacityError, ResourceOverflowError, ServiceUnavailableError when the storage cannot be used
   */
  async store(caller: Caller, name: string, content: Readable, minSize = 0): Promise<AttachmentDto> {
    const storageKey = this.storage.newKey();
    const created = Date.now();
    await this.requireStorage();
    const id = await this.transactions.run(async (manager) => {
      await this.requireRoom(manager, caller, minSize);
      return insertRow(manager, Attachment, {
        storageKey,
        name,
        size: minSize,
        stored: false,
        attached: false,
        createdUserId: caller.id,
        created,
      });
    });
    try {
      const size = await this.storage.write(storageKey, content);
      await this.transactions.run(async (manager) => {
        await this.space.takeStorage(manager, size);
        await this.requireRoomForBytes(manager, caller, size);
        await manager.query('UPDATE attachment SET size = ?, `stored` = ? WHERE id = ?', [size, true, id]);
      });
      return { id, name, size };
    } catch (error) {
      await this.discard({ id, storageKey });
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

  /**
   * Makes sure that the caller may have one more upload that is attached to nothing.
   * @param minSize what it takes at least
   * @throws SpaceOverCapacityError, ResourceOverflowError
   */
  private async requireRoom(manager: EntityManager, caller: Caller, minSize: number): Promise<void> {
    const { MAX_UNATTACHED_FILES, MAX_UNATTACHED_BYTES } = this.environment;
    const { files, bytes } = await lockUnattached(manager, caller);
    if (MAX_UNATTACHED_FILES > 0 && files >= MAX_UNATTACHED_FILES) {
      throw new ResourceOverflowError(UNATTACHED_LIMIT);
    }
    if (MAX_UNATTACHED_BYTES > 0 && bytes + minSize > MAX_UNATTACHED_BYTES) {
      throw new SpaceOverCapacityError(UNATTACHED_SIZE_LIMIT);
    }
  }

  /**
   * Makes sure that the bytes of an upload that has come have room beside those stored before it; others that are under way
   * have their turn when they have come.
   * @throws SpaceOverCapacityError
   */
  private async requireRoomForBytes(manager: EntityManager, caller: Caller, size: number): Promise<void> {
    const { MAX_UNATTACHED_BYTES } = this.environment;
    const { storedBytes } = await lockUnattached(manager, caller);
    if (MAX_UNATTACHED_BYTES > 0 && storedBytes + size > MAX_UNATTACHED_BYTES) {
      throw new SpaceOverCapacityError(UNATTACHED_SIZE_LIMIT);
    }
  }

  /** Takes an upload back that has failed. What cannot be removed now counts as expired, and is removed as that is. */
  private async discard(upload: { id: number; storageKey: string }): Promise<void> {
    try {
      await this.remove(upload);
    } catch (error) {
      this.logger.error({ err: error }, `Could not remove upload ${upload.id}`);
      await this.dataSource
        .query('UPDATE attachment SET created = 0 WHERE id = ? AND attached = ?', [upload.id, false])
        .catch(() => undefined);
    }
  }

  private async getAttached(id: number): Promise<{ storageKey: string; name: string; size: number }> {
    const [row] = await this.dataSource.query<{ storageKey: string; name: string; size: number }[]>(
      'SELECT storage_key AS storageKey, name, size FROM attachment WHERE id = ? AND attached = ?',
      [id, true],
    );
    if (!row) throw new NoResourceError('attachment');
    return row;
  }

  private async remove({ id, storageKey }: { id: number; storageKey: string }): Promise<void> {
    await this.storage.remove(storageKey);
    await this.transactions.run(async (manager) => {
      // Only the row knows what it takes: an upload whose COMMIT got no answer may have been stored.
      const [row] = await selectForUpdate<{ size: number; stored: number | boolean }>(
        manager,
        'SELECT size, `stored` FROM attachment WHERE id = ? AND attached = ?',
        [id, false],
      );
      if (!row) return;
      await manager.query('DELETE FROM attachment WHERE id = ?', [id]);
      if (row.stored) await this.space.giveStorageBack(manager, row.size);
    });
  }
}

/**
 * What the caller's uploads take that are attached to nothing. Holds the caller, so that of several uploads at once each sees
 * what the others have taken.
 */
async function lockUnattached(
  manager: EntityManager,
  { id }: Caller,
): Promise<{ files: number; bytes: number; storedBytes: number }> {
  await lockRow(manager, 'user', id);
  const [row] = await manager.query<[Record<'files' | 'bytes' | 'storedBytes', number | string>]>(
    `SELECT COUNT(*) AS files, COALESCE(SUM(size), 0) AS bytes,
            COALESCE(SUM(CASE WHEN a.\`stored\` = ? THEN size ELSE 0 END), 0) AS storedBytes
       FROM attachment a WHERE a.attached = ? AND a.created > ? AND a.created_user_id = ?`,
    [true, false, Date.now() - LIFETIME_MS, id],
  );
  return { files: Number(row.files), bytes: Number(row.bytes), storedBytes: Number(row.storedBytes) };
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

const cannotBeAttached = (ids: readonly number[], field: string): InvalidRequestError =>
  InvalidRequestError.of(field, `These are not unused uploads of yours: ${ids.slice(0, 20).join(', ')}.`);
