import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRow, selectRow, selectRows } from '../../database/rows';
import { affectedRows, forWrite, inList, placeholders } from '../../database/statements';
import { Attachment } from '../entities/attachment.entity';

/** An uploaded file as it is shown. */
export type FileRow = Pick<Attachment, 'id' | 'name' | 'size'>;

/** A file that is removed from storage by its key. */
export type StoredFileRow = Pick<Attachment, 'id' | 'storageKey'>;

/** What the uploads of a user that are attached to nothing take. */
export interface UnattachedUsage {
  files: number;
  bytes: number;
  /** The bytes of those that have arrived completely. */
  storedBytes: number;
}

/** The uploads that a user may attach. */
export interface UsableUploads {
  ids: readonly number[];
  userId: number;
  /** They were created after this time. */
  after: number;
}

/** The rows of `attachment`. */
@Injectable()
export class AttachmentRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Whether any file has been stored. */
  async hasStored(): Promise<boolean> {
    const stored = await selectRow(this.dataSource, Attachment, ['id'], 'WHERE `stored` = ? LIMIT 1', [true]);
    return stored !== undefined;
  }

  /** A file that is attached to something. */
  findAttached(id: number): Promise<Pick<Attachment, 'storageKey' | 'name' | 'size'> | undefined> {
    const keys = ['storageKey', 'name', 'size'] as const;
    return selectRow(this.dataSource, Attachment, keys, 'WHERE id = ? AND attached = ?', [id, true]);
  }

  /** Up to `limit` files that are attached to nothing and were created before a time, in the order of their ids after `afterId`. */
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

  /** Marks uploads as attached; returns how many could be. */
  markAttached(manager: EntityManager, uploads: UsableUploads): Promise<number> {
    const usable = usableCondition(uploads);
    return affectedRows(manager, `UPDATE attachment SET attached = ? WHERE ${usable.sql}`, [
      true,
      ...usable.parameters,
    ]);
  }

  /** What the uploads take that a user has created after a time and that are attached to nothing. */
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

  /** Records that all bytes of a file are in storage; returns whether it has not been removed meanwhile. */
  async markStored(manager: EntityManager, id: number, size: number): Promise<boolean> {
    const marked = await affectedRows(manager, 'UPDATE attachment SET size = ?, `stored` = ? WHERE id = ?', [
      size,
      true,
      id,
    ]);
    return marked > 0;
  }

  /** Makes files count as expired uploads. */
  async detach(manager: EntityManager, ids: readonly number[]): Promise<void> {
    const list = inList(ids);
    await manager.query(`UPDATE attachment SET attached = ?, created = 0 WHERE id ${list.sql}`, [
      false,
      ...list.parameters,
    ]);
  }

  /** Makes an upload count as created at a time when it would have expired, unless it has been attached. */
  async expire(id: number, created: number): Promise<void> {
    await this.dataSource.query('UPDATE attachment SET created = ? WHERE id = ? AND attached = ?', [
      created,
      id,
      false,
    ]);
  }

  /** Locks a file that is attached to nothing until the transaction ends. */
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

const usableCondition = ({ ids, userId, after }: UsableUploads) => ({
  sql: `id IN (${placeholders(ids)}) AND created_user_id = ? AND \`stored\` = ? AND attached = ? AND created > ?`,
  parameters: [...ids, userId, true, false, after],
});
