import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type EntityRunner } from '../database/sql/statements';
import { InvalidRequestError, NoResourceError } from '../errors/domain-errors';
import { CountLimitsService } from '../limits/count-limits.service';
import { UsersService } from '../users/users.service';
import { userIdsIn } from '../users/user-ids';
import { type SharedFileLink, SharedFileLinkRepository } from './data/shared-file-link.repository';
import { type SharedFileDto } from './dto/shared-file.dto';
import { toSharedFileDto } from './shared-file.mapper';

/** The result of linking files. */
export interface LinkedFiles {
  /** The requested files, in the requested order. */
  files: SharedFileDto[];
  /** The files that were not linked before. */
  added: SharedFileDto[];
}

/** Links shared files to their owners, in the same way for issues and wiki pages. */
@Injectable()
export class SharedFileLinksService {
  constructor(
    private readonly links: SharedFileLinkRepository,
    private readonly users: UsersService,
    private readonly limits: CountLimitsService,
  ) {}

  /** Returns the files of an owner, in the order of their ids, in two queries. */
  async list(link: SharedFileLink, ownerId: number, runner?: EntityRunner): Promise<SharedFileDto[]> {
    const rows = await this.links.findFiles(link, ownerId, runner);
    const users = await this.users.findByIds(userIdsIn(rows), runner);
    return rows.map((file) => toSharedFileDto(file, users));
  }

  /**
   * Links files to an owner that the transaction has locked. Files that are already linked stay linked.
   * @throws InvalidRequestError naming the ids that are not files of the project, ResourceOverflowError when the owner has too many
   *   files, or a file too many owners
   */
  async link(
    manager: EntityManager,
    link: SharedFileLink,
    owner: { id: number; projectId: number },
    fileIds: readonly number[],
  ): Promise<LinkedFiles> {
    const rows = await this.links.lockFiles(manager, owner.projectId, fileIds);
    const byId = new Map(rows.map((row) => [row.id, row]));
    const missing = fileIds.filter((id) => !byId.has(id));
    if (missing.length > 0) {
      throw InvalidRequestError.of(
        'fileId',
        `These are not shared files of the project: ${missing.slice(0, 20).join(', ')}.`,
        (limit) => this.links.findFirstIds(owner.projectId, limit),
      );
    }
    const present = new Set(await this.links.findIds(manager, link, owner.id));
    const added = fileIds.filter((id) => !present.has(id));
    if (added.length > 0) {
      this.limits.require('linkedFile', present.size + added.length);
      this.limits.require('fileLink', (await this.links.countMostLinks(manager, link, added)) + 1);
      await this.links.insert(manager, link, owner.id, added);
    }
    const users = await this.users.findByIds(userIdsIn(rows), manager);
    const files = fileIds.flatMap((id) => byId.get(id) ?? []).map((row) => toSharedFileDto(row, users));
    return { files, added: files.filter(({ id }) => !present.has(id)) };
  }

  /**
   * Removes the link of a file and returns the file.
   * @throws NoResourceError when another request has removed the link or the file
   */
  async unlink(
    manager: EntityManager,
    link: SharedFileLink,
    ownerId: number,
    fileId: number,
  ): Promise<SharedFileDto> {
    const files = await this.list(link, ownerId, manager);
    const file = files.find(({ id }) => id === fileId);
    const isRemoved = await this.links.remove(manager, link, ownerId, fileId);
    if (!file || !isRemoved) throw new NoResourceError('shared file');
    return file;
  }
}
