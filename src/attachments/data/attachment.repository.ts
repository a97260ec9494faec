import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Origin } from '../../access/past-change';
import { Conditions } from '../../database/sql/conditions';
import { insertRow, selectRow, selectRows } from '../../database/sql/rows';
import { affectedRows, forced, forWrite, inList, placeholders, quoted } from '../../database/sql/statements';
import { Attachment } from '../entities/attachment.entity';

/** An uploaded file as shown in responses. */
export type FileRow = Pick<Attachment, 'id' | 'name' | 'size'>;

/** A file with its key in the storage. */
export type StoredFileRow = Pick<Attachment, 'id' | 'storageKey'>;

/** The usage of a user's unattached uploads. */
export interface UnattachedUsage {
  files: number;
  bytes: number;
  /** The bytes of the uploads that have arrived completely. */
  storedBytes: number;
}

/** The uploads that a user may attach. */
export interface UsableUploads {
  ids: readonly number[];
  userId: number;
  /** The key that must have uploaded them, if it is limited to projects. */
  keyId: number | undefined;
  /** Time after which the uploads must have been created. */
  after: number;
}

/** Ids from `first` to `last`. */
export interface IdRange {
  first: number;
  last: number;
}

/** A column that refers to files. */
export interface FileLink {
  table: string;
  column: string;
}

/** Rows of `attachment`. */
@Injectable()
export class AttachmentRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns whether any file has been stored. */
  async hasStored(): Promise<boolean> {
    const stored = await selectRow(this.dataSource, Attachment, ['id'], 'WHERE `stored` = ? LIMIT 1', [true]);
    return stored !== undefined;
  }

  /** Returns whether a file has a row, whatever its state. */
  async hasKey(storageKey: string): Promise<boolean> {
    const found = await selectRow(this.dataSource, Attachment, ['id'], 'WHERE storage_key = ?', [storageKey]);
    return found !== undefined;
  }

  /** Returns a file if it is attached. */
  findAttached(id: number): Promise<Pick<Attachment, 'storageKey' | 'name' | 'size'> | undefined> {
    const keys = ['storageKey', 'name', 'size'] as const;
    return selectRow(this.dataSource, Attachment, keys, 'WHERE id = ? AND attached = ?', [id, true]);
  }

  /** Returns up to `limit` unattached files that were created before a time, in the order of their ids after `afterId`. */
  findExpired(before: number, afterId: number, limit: number): Promise<StoredFileRow[]> {
    return selectRows(
      this.dataSource,
      Attachment,
      ['id', 'storageKey'],
      'WHERE attached = ? AND created < ? AND id > ? ORDER BY id LIMIT ?',
      [false, before, afterId, limit],
    );
  }

  findUsable(manager: EntityManager, uploads: UsableUploads): Promise<FileRow[]> {
    const usable = usableCondition(uploads);
    return selectRows(manager, Attachment, ['id', 'name', 'size'], `WHERE ${usable.sql}`, usable.parameters);
  }

  /** Returns the ids of the first uploads that a user can attach, ascending. */
  async findFirstUsableIds(
    { userId, keyId, after }: Omit<UsableUploads, 'ids'>,
    limit: number,
  ): Promise<number[]> {
    const { where, parameters } = new Conditions()
      .add(
        'a.attached = ? AND a.created > ? AND +a.created_user_id = ? AND a.`stored` = ?',
        false,
        after,
        userId,
        true,
      )
      .addIf(keyId, 'a.upload_key_id = ?');
    // A user may have a million attached files, but few recent uploads. The sign keeps the embedded database from reading by user.
    const rows = await this.dataSource.query<Pick<Attachment, 'id'>[]>(
      `SELECT a.id FROM attachment a ${forced(this.dataSource, 'ix_attachment_attached_created')} ${where}`,
      parameters,
    );
    const ids = rows.map(({ id }) => id);
    return ids.sort((one, other) => one - other).slice(0, limit);
  }

  /**
   * Marks usable uploads as attached; returns their number.
   * @param origin their author and time, unless these stay as they are
   */
  markAttached(manager: EntityManager, uploads: UsableUploads, origin?: Origin): Promise<number> {
    const usable = usableCondition(uploads);
    const others = origin ? ', created_user_id = ?, created = ?' : '';
    return affectedRows(manager, `UPDATE attachment SET attached = ?${others} WHERE ${usable.sql}`, [
      true,
      ...(origin ? [origin.author.id, origin.created] : []),
      ...usable.parameters,
    ]);
  }

  /** Returns the usage of the unattached uploads that a user has created after a time. */
  async sumUnattached(manager: EntityManager, userId: number, after: number): Promise<UnattachedUsage> {
    const [row] = await manager.query<[Record<keyof UnattachedUsage, number | string>]>(
      `SELECT COUNT(*) AS files, COALESCE(SUM(size), 0) AS bytes,
              COALESCE(SUM(CASE WHEN a.\`stored\` = ? THEN size ELSE 0 END), 0) AS storedBytes
         FROM attachment a WHERE a.attached = ? AND a.created > ? AND a.created_user_id = ?`,
      [true, false, after, userId],
    );
    return { files: Number(row.files), bytes: Number(row.bytes), storedBytes: Number(row.storedBytes) };
  }

  insert(
    manager: EntityManager,
    attachment: Omit<Attachment, 'id' | 'createdUser' | 'stored' | 'attached'>,
  ): Promise<number> {
    return insertRow(manager, Attachment, { ...attachment, stored: false, attached: false });
  }

  /** Marks a file as completely stored; returns false when it has been removed concurrently. */
  async markStored(manager: EntityManager, id: number, size: number): Promise<boolean> {
    const marked = await affectedRows(manager, 'UPDATE attachment SET size = ?, `stored` = ? WHERE id = ?', [
      size,
      true,
      id,
    ]);
    return marked > 0;
  }

  /** Returns the first files in a range of ids that count as attached although nothing refers to them. */
  async findUnlinked(
    manager: EntityManager,
    { first, last }: IdRange,
    links: readonly FileLink[],
    limit: number,
  ): Promise<number[]> {
    const unlinked = links.map(
      ({ table, column }) =>
        `NOT EXISTS (SELECT 1 FROM ${quoted(table)} l WHERE l.${quoted(column)} = attachment.id)`,
    );
    const conditions = ['id BETWEEN ? AND ?', 'attached = ?', ...unlinked].join(' AND ');
    const rows = await selectRows(
      manager,
      Attachment,
      ['id'],
      `WHERE ${conditions} ORDER BY id LIMIT ${limit}`,
      [first, last, true],
    );
    return rows.map(({ id }) => id);
  }

  /** Whether files in a range of ids have been released, and not yet been removed. */
  async hasReleased({ first, last }: IdRange): Promise<boolean> {
    const found = await selectRow(
      this.dataSource,
      Attachment,
      ['id'],
      'WHERE id BETWEEN ? AND ? AND attached = ? AND created = 0 LIMIT 1',
      [first, last, false],
    );
    return found !== undefined;
  }

  /** Turns files into expired uploads. */
  async detach(manager: EntityManager, ids: readonly number[]): Promise<void> {
    const list = inList(ids);
    await manager.query(`UPDATE attachment SET attached = ?, created = 0 WHERE id ${list.sql}`, [
      false,
      ...list.parameters,
    ]);
  }

  /** Sets the creation time of an upload, to make it expire, unless it is attached. */
  async expire(id: number, created: number): Promise<void> {
    await this.dataSource.query('UPDATE attachment SET created = ? WHERE id = ? AND attached = ?', [
      created,
      id,
      false,
    ]);
  }

  /** Locks an unattached file until the transaction ends. */
  lockUnattached(
    manager: EntityManager,
    id: number,
  ): Promise<Pick<Attachment, 'size' | 'stored'> | undefined> {
    return selectRow(
      manager,
      Attachment,
      ['size', 'stored'],
      `WHERE id = ? AND attached = ?${forWrite(manager)}`,
      [id, false],
    );
  }

  async remove(manager: EntityManager, id: number): Promise<void> {
    await manager.query('DELETE FROM attachment WHERE id = ?', [id]);
  }
}

const usableCondition = ({ ids, userId, keyId, after }: UsableUploads) => ({
  sql: `id IN (${placeholders(ids)}) AND created_user_id = ? AND \`stored\` = ? AND attached = ? AND created > ?${keyId === undefined ? '' : ' AND upload_key_id = ?'}`,
  parameters: [...ids, userId, true, false, after, ...(keyId === undefined ? [] : [keyId])],
});
