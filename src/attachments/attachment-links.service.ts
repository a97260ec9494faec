import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type EntityRunner } from '../database/sql/statements';
import { NoResourceError } from '../errors/domain-errors';
import { FileAnswer } from '../http/response/file-answer';
import { CountLimitsService } from '../limits/count-limits.service';
import { type Caller } from '../access/caller';
import { UsersService } from '../users/users.service';
import { userIdsIn } from '../users/user-ids';
import { AttachmentsService } from './attachments.service';
import { toAttachedFileDto } from './attached-file.mapper';
import { type AttachmentLink } from './attachment-link';
import { AttachmentLinkRepository } from './data/attachment-link.repository';
import { type AttachedFileDto } from './dto/attached-file.dto';
import { type AttachmentDto } from './dto/attachment.dto';

const RELEASE_BATCH = 1000;

/** Attaches and detaches files, in the same way for issues, pull requests and wiki pages (owners). */
@Injectable()
export class AttachmentLinksService {
  constructor(
    private readonly links: AttachmentLinkRepository,
    private readonly attachments: AttachmentsService,
    private readonly users: UsersService,
    private readonly limits: CountLimitsService,
  ) {}

  /**
   * Attaches uploads of the caller, and returns them in the requested order.
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
    await this.links.insert(
      manager,
      link,
      ownerId,
      attached.map(({ id }) => id),
    );
    return attached;
  }

  /** Returns the files of an owner, oldest first, in two queries. */
  async list(link: AttachmentLink, ownerId: number, runner?: EntityRunner): Promise<AttachedFileDto[]> {
    const files = await this.links.findFiles(link, ownerId, runner);
    const users = await this.users.findByIds(userIdsIn(files), runner);
    return files.map((file) => toAttachedFileDto(file, users));
  }

  /**
   * Returns the content of a file.
   * @throws NoResourceError when it has just been removed
   */
  download(attachmentId: number): Promise<FileAnswer> {
    return this.attachments.open(attachmentId);
  }

  /**
   * Removes a file from its owner and returns its last state; its content is removed soon after.
   * @throws NoResourceError when another request has removed it
   */
  async detach(
    manager: EntityManager,
    link: AttachmentLink,
    ownerId: number,
    attachmentId: number,
  ): Promise<AttachedFileDto> {
    const files = await this.list(link, ownerId, manager);
    const file = files.find(({ id }) => id === attachmentId);
    const isRemoved = await this.links.remove(manager, link, ownerId, attachmentId);
    if (!file || !isRemoved) throw new NoResourceError('attachment');
    await this.attachments.release(manager, [attachmentId]);
    return file;
  }

  /** Removes all files from owners that are about to be removed; locks the owners, so that no file is added. */
  async detachAll(manager: EntityManager, link: AttachmentLink, ownerIds: readonly number[]): Promise<void> {
    const ids = await this.links.removeAll(manager, link, ownerIds);
    for (let start = 0; start < ids.length; start += RELEASE_BATCH) {
      await this.attachments.release(manager, ids.slice(start, start + RELEASE_BATCH));
    }
  }

  /** Checks the number of files. Locks the owner, so that concurrent requests cannot exceed the limit together. */
  private async keepLimit(
    manager: EntityManager,
    link: AttachmentLink,
    ownerId: number,
    added: number,
  ): Promise<void> {
    const count = await this.links.lockAndCount(manager, link, ownerId);
    this.limits.require('attachedFile', count + added);
  }
}
