import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import {
  affectedRows,
  inList,
  lockRow,
  selectForShare,
  selectForUpdate,
  type StatementRunner,
  quoted,
} from '../database/statements';
import { groupBy } from '../database/group-by';
import { NoResourceError, ResourceOverflowError } from '../errors/domain-errors';
import { FileAnswer } from '../http/response/file-answer';
import { toTimestamp } from '../http/request/timestamp';
import { type Caller } from '../access/caller';
import { type UserDto } from '../users/dto/user.dto';
import { UsersService } from '../users/users.service';
import { AttachmentsService } from './attachments.service';
import { type AttachedFileDto } from './dto/attached-file.dto';
import { type AttachmentDto } from './dto/attachment.dto';

/** Where a feature keeps which files are attached to its things: a table with `attachment_id` and the thing's id. */
export interface AttachmentLink {
  table: string;
  /** The column with the thing's id. */
  owner: string;
  /** The table of the things. */
  owners: string;
}

/** So many files one thing can have: they are part of its answer, whole. */
const MAX_FILES = 100;
const RELEASED_AT_ONCE = 1000;

/** Says so, where an answer or the documentation has to. */
export const FILES_LIMIT = `At most ${MAX_FILES} files can be attached to one thing.`;

interface AttachedRow {
  ownerId: number;
  id: number;
  name: string;
  size: number;
  createdUserId: number;
  created: number;
}

/** Files attached to things, the same for issues, pull requests and wiki pages. */
@Injectable()
export class AttachmentLinksService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly attachments: AttachmentsService,
    private readonly users: UsersService,
  ) {}

  /**
   * Attaches uploads of the caller, and gives them in the order asked for.
   * @throws InvalidRequestError naming the ids that cannot be attached, ResourceOverflowError when there are too many
   */
  async attach(
    manager: EntityManager,
    link: AttachmentLink,
    ownerId: number,
    caller: Caller,
    attachmentIds: readonly number[],
  ): Promise<AttachmentDto[]> {
    if (attachmentIds.length === 0) return [];
    await this.keepLimit(manager, link, ownerId, attachmentIds.length);
    const attached = await this.attachments.claim(manager, caller, attachmentIds, 'attachmentId');
    await manager.query(
      `INSERT INTO ${quoted(link.table)} (attachment_id, ${quoted(link.owner)})
        VALUES ${attached.map(() => '(?, ?)').join(', ')}`,
      attached.flatMap((file) => [file.id, ownerId]),
    );
    return attached;
  }

  /** The files of one thing, oldest first, in two queries. */
  async list(link: AttachmentLink, ownerId: number): Promise<AttachedFileDto[]> {
    return (await this.listByOwners(link, [ownerId])).get(ownerId) ?? [];
  }

  /** The files of several things by the thing's id, in two queries. */
  async listByOwners(
    link: AttachmentLink,
    ownerIds: readonly number[],
    runner: StatementRunner = this.dataSource,
  ): Promise<Map<number, AttachedFileDto[]>> {
    if (ownerIds.length === 0) return new Map();
    const rows = await this.find(runner, link, ownerIds);
    const users = await this.users.findByIds(
      rows.map((row) => row.createdUserId),
      runner,
    );
    const byOwner = groupBy(rows, (row) => row.ownerId);
    return new Map([...byOwner].map(([id, files]) => [id, files.map((file) => toDto(file, users))]));
  }

  /**
   * The bytes of a file.
   * @throws NoResourceError when it has just been removed
   */
  download(attachmentId: number): Promise<FileAnswer> {
    return this.attachments.open(attachmentId);
  }

  /**
   * Removes a file from a thing and gives what it was; its bytes go soon after.
   * @throws NoResourceError when somebody else has been faster
   */
  async detach(
    manager: EntityManager,
    link: AttachmentLink,
    ownerId: number,
    attachmentId: number,
  ): Promise<AttachedFileDto> {
    const files = await this.listByOwners(link, [ownerId], manager);
    const file = files.get(ownerId)?.find(({ id }) => id === attachmentId);
    const removed = await affectedRows(
      manager,
      `DELETE FROM ${link.table} WHERE attachment_id = ? AND ${link.owner} = ?`,
      [attachmentId, ownerId],
    );
    if (!file || removed === 0) throw new NoResourceError('attachment');
    await this.attachments.release(manager, [attachmentId]);
    return file;
  }

  /** Removes all files of things that are about to be removed themselves; takes the things first, so that none is added. */
  async detachAll(
    manager: EntityManager,
    { table, owner, owners }: AttachmentLink,
    ownerIds: readonly number[],
  ): Promise<void> {
    const list = inList(ownerIds);
    await selectForUpdate(manager, `SELECT id FROM ${owners} WHERE id ${list.sql}`, list.parameters);
    const rows = await selectForUpdate<{ id: number }>(
      manager,
      `SELECT attachment_id AS id FROM ${table} WHERE ${owner} ${list.sql}`,
      list.parameters,
    );
    if (rows.length === 0) return;
    await manager.query(`DELETE FROM ${table} WHERE ${owner} ${list.sql}`, list.parameters);
    for (let start = 0; start < rows.length; start += RELEASED_AT_ONCE) {
      const some = rows.slice(start, start + RELEASED_AT_ONCE);
      await this.attachments.release(
        manager,
        some.map((row) => row.id),
      );
    }
  }

  /** Takes the thing, so that two requests cannot both find room for their files. */
  private async keepLimit(
    manager: EntityManager,
    { table, owner, owners }: AttachmentLink,
    ownerId: number,
    added: number,
  ): Promise<void> {
    await lockRow(manager, owners, ownerId);
    const [row] = await selectForShare<{ count: number | string }>(
      manager,
      `SELECT COUNT(*) AS count FROM ${table} WHERE ${owner} = ?`,
      [ownerId],
    );
    if (Number(row?.count) + added > MAX_FILES) throw new ResourceOverflowError(FILES_LIMIT);
  }

  private find(
    runner: StatementRunner,
    { table, owner }: AttachmentLink,
    ownerIds: readonly number[],
  ): Promise<AttachedRow[]> {
    const list = inList(ownerIds);
    return runner.query<AttachedRow[]>(
      `SELECT l.${owner} AS ownerId, a.id AS id, a.name AS name, a.size AS size,
              a.created_user_id AS createdUserId, a.created AS created
         FROM ${table} l JOIN attachment a ON a.id = l.attachment_id
        WHERE l.${owner} ${list.sql} ORDER BY a.id`,
      list.parameters,
    );
  }
}

const toDto = (row: AttachedRow, users: ReadonlyMap<number, UserDto>): AttachedFileDto => ({
  id: row.id,
  name: row.name,
  size: row.size,
  createdUser: users.get(row.createdUserId) as UserDto,
  created: toTimestamp(row.created),
});
