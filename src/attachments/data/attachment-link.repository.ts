import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Select, selectTogether } from '../../database/sql/select-together';
import {
  affectedRows,
  type EntityRunner,
  forWrite,
  inList,
  lockRow,
  lockRows,
  quoted,
  selectForShare,
  type StatementRunner,
} from '../../database/sql/statements';
import { type AttachmentLink } from '../attachment-link';
import { type Attachment } from '../entities/attachment.entity';

/** A file with the id of its owner. */
export interface AttachedRow extends Pick<Attachment, 'id' | 'name' | 'size' | 'createdUserId' | 'created'> {
  ownerId: number;
}

/** Rows that link files to their owners, in the table of each feature. */
@Injectable()
export class AttachmentLinkRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the files of an owner, oldest first. */
  async findFiles(
    link: AttachmentLink,
    ownerId: number,
    runner: EntityRunner = this.dataSource,
  ): Promise<AttachedRow[]> {
    return (await selectTogether(runner, { files: attachedFiles(link, [ownerId]) })).files;
  }

  /** Locks an owner until the transaction ends, and returns the number of its files. */
  async lockAndCount(
    manager: EntityManager,
    { table, owner, owners }: AttachmentLink,
    ownerId: number,
  ): Promise<number> {
    await lockRow(manager, owners, ownerId);
    const [row] = await selectForShare<{ count: number | string }>(
      manager,
      `SELECT COUNT(*) AS count FROM ${table} WHERE ${owner} = ?`,
      [ownerId],
    );
    return Number(row?.count);
  }

  async insert(
    manager: EntityManager,
    { table, owner }: AttachmentLink,
    ownerId: number,
    attachmentIds: readonly number[],
  ): Promise<void> {
    await manager.query(
      `INSERT INTO ${quoted(table)} (attachment_id, ${quoted(owner)})
        VALUES ${attachmentIds.map(() => '(?, ?)').join(', ')}`,
      attachmentIds.flatMap((id) => [id, ownerId]),
    );
  }

  /** Removes a file from an owner; returns whether it was attached. */
  async remove(
    manager: EntityManager,
    { table, owner }: AttachmentLink,
    ownerId: number,
    attachmentId: number,
  ): Promise<boolean> {
    const removed = await affectedRows(
      manager,
      `DELETE FROM ${table} WHERE attachment_id = ? AND ${owner} = ?`,
      [attachmentId, ownerId],
    );
    return removed > 0;
  }

  /** Removes all files from owners, which it locks first, so that no file is added; returns the ids of the files. */
  async removeAll(
    manager: EntityManager,
    { table, owner, owners }: AttachmentLink,
    ownerIds: readonly number[],
  ): Promise<number[]> {
    const list = inList(ownerIds);
    await lockRows(manager, owners, `WHERE id ${list.sql} ORDER BY id`, list.parameters);
    const rows = await manager.query<{ id: number }[]>(
      `SELECT attachment_id AS id FROM ${table} WHERE ${owner} ${list.sql}${forWrite(manager)}`,
      list.parameters,
    );
    if (rows.length === 0) return [];
    await manager.query(`DELETE FROM ${table} WHERE ${owner} ${list.sql}`, list.parameters);
    return rows.map(({ id }) => id);
  }
}

/** Selects the files of several owners, oldest first. */
export const attachedFiles = (
  { table, owner }: AttachmentLink,
  ids: readonly number[],
): Select<AttachedRow> => ({
  alias: 'a',
  keys: ['id', 'name', 'size', 'createdUserId', 'created'],
  others: { ownerId: `l.${owner}` },
  from: `${table} l JOIN attachment a ON a.id = l.attachment_id`,
  column: `l.${owner}`,
  ids,
});

/** Returns whether a file is attached to an owner; for the loaders of `childOf`, which get only a data source. */
export async function isAttached(
  runner: StatementRunner,
  { table, owner }: AttachmentLink,
  ownerId: number,
  attachmentId: number,
): Promise<boolean> {
  const rows = await runner.query<unknown[]>(
    `SELECT attachment_id FROM ${table} WHERE ${owner} = ? AND attachment_id = ?`,
    [ownerId, attachmentId],
  );
  return rows.length > 0;
}
