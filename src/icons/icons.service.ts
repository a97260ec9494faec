import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Caller } from '../access/caller';
import { AttachmentsService } from '../attachments/attachments.service';
import { TransactionsService } from '../database/transactions/transactions.service';
import { InvalidRequestError, NoResourceError } from '../errors/domain-errors';
import { type ReadRequest } from '../http/request/request-reader.guard';
import { FileAnswer, replaceableFile } from '../http/response/file-answer';
import { IconRepository } from './data/icon.repository';
import { generatedPicture } from './picture/generated-picture';
import { imageFormatOf } from './picture/image-format';

/** Maximum size of an icon's file, in bytes. */
export const MAX_ICON_SIZE = 1024 * 1024;
/** Maximum side length of an icon, in pixels, because it determines the memory that a browser needs to show it. */
export const MAX_ICON_SIDE = 2048;

/** Maximum number of attempts to read an icon that is replaced concurrently. */
const MAX_READS = 3;

/** A kind of subject that has icons. */
export interface IconSubject {
  /** Stored in the database; at most 16 characters. */
  type: string;
  /** Returns the name for the initials of a generated picture. @throws NoResourceError when the subject is gone */
  nameOf(id: number): Promise<string>;
  /** Locks the subject until the transaction ends. @throws NoResourceError when it is gone */
  lock(manager: EntityManager, id: number): Promise<unknown>;
}

/** Manages icons: uploaded ones, which are attached files, or generated ones (`docs/decisions/0042-icons-and-space.md`). */
@Injectable()
export class IconsService {
  constructor(
    private readonly icons: IconRepository,
    private readonly attachments: AttachmentsService,
    private readonly transactions: TransactionsService,
  ) {}

  /**
   * Returns the icon of a subject.
   * @throws NoResourceError when the subject has just been removed
   */
  get(subject: IconSubject, id: number): Promise<FileAnswer> {
    return replaceableFile(() => this.find(subject, id));
  }

  private async find(subject: IconSubject, id: number): Promise<FileAnswer> {
    for (let read = 1; ; read++) {
      const fileId = await this.icons.findFile({ type: subject.type, id });
      if (fileId === undefined) return generated(await subject.nameOf(id), id);
      try {
        return toImageAnswer(await this.attachments.open(fileId));
      } catch (error) {
        if (!(error instanceof NoResourceError) || read === MAX_READS) throw error;
      }
    }
  }

  /**
   * Replaces the icon of a subject by the file of a multipart request.
   * @throws InvalidRequestError unless it is a PNG, JPEG, WebP or GIF of a permitted size, TooLargeFileError,
   *   SpaceOverCapacityError, ResourceOverflowError, NoResourceError when the subject has just been removed
   */
  async update(request: ReadRequest, caller: Caller, subject: IconSubject, id: number): Promise<void> {
    const file = await this.attachments.uploadChecked(request, caller, MAX_ICON_SIZE, nameOfImage);
    await this.transactions.run(async (manager) => {
      await subject.lock(manager, id);
      await this.removeOf(manager, subject.type, id);
      await this.attachments.claim(manager, caller, [file.id], 'file');
      await this.icons.insert(manager, { type: subject.type, id }, file.id);
    });
  }

  /**
   * Restores the generated picture.
   * @throws NoResourceError when the subject has just been removed
   */
  remove(subject: IconSubject, id: number): Promise<void> {
    return this.transactions.run(async (manager) => {
      await subject.lock(manager, id);
      await this.removeOf(manager, subject.type, id);
    });
  }

  /** Removes the icon of a subject that is locked or being removed; returns whether there was one. */
  async removeOf(manager: EntityManager, type: string, id: number): Promise<boolean> {
    const fileId = await this.icons.findFileToRemove(manager, { type, id });
    if (fileId === undefined) return false;
    await this.icons.remove(manager, fileId);
    await this.attachments.release(manager, [fileId]);
    return true;
  }
}

const toImageAnswer = ({ name, size, open }: FileAnswer): FileAnswer =>
  // The extension of the name is the format that was detected at the upload.
  new FileAnswer({ name, size, open, imageType: `image/${name.slice(name.lastIndexOf('.') + 1)}` });

function generated(name: string, id: number): FileAnswer {
  const picture = generatedPicture(name, id);
  return new FileAnswer({
    name: 'icon.svg',
    size: picture.length,
    open: () => Promise.resolve(Readable.from([picture])),
    imageType: 'image/svg+xml',
  });
}

function nameOfImage(content: Buffer): string {
  const format = imageFormatOf(content);
  if (!format) throw InvalidRequestError.of('file', 'The file must be a PNG, JPEG, WebP or GIF picture.');
  if (Math.max(format.width, format.height) > MAX_ICON_SIDE) {
    throw InvalidRequestError.of(
      'file',
      `The picture can be at most ${MAX_ICON_SIDE} pixels wide and ${MAX_ICON_SIDE} pixels high.`,
    );
  }
  return `icon.${format.type}`;
}
