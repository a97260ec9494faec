import { Injectable } from '@nestjs/common';
import { type Caller } from '../../access/caller';
import { ActivitiesService } from '../../activities/activities.service';
import { ActivityType } from '../../activities/activity-type';
import { AttachmentLinksService } from '../../attachments/attachment-links.service';
import { type AttachedFileDto } from '../../attachments/dto/attached-file.dto';
import { type AttachmentDto } from '../../attachments/dto/attachment.dto';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { type FileAnswer } from '../../http/response/file-answer';
import { type DocumentResource } from '../document-resource';
import { DocumentsService } from '../documents.service';
import { type DocumentAttachmentResource } from './document-attachment.loader';
import { DOCUMENT_FILES } from './document-files';

/** Manages the files attached to documents. */
@Injectable()
export class DocumentAttachmentsService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly documents: DocumentsService,
    private readonly links: AttachmentLinksService,
    private readonly activities: ActivitiesService,
  ) {}

  /**
   * Attaches uploads of the caller, and records activity 46.
   * @returns the files attached by this request, in the order of `attachmentIds`
   * @throws InvalidRequestError for a file that cannot be used (none is attached); NoResourceError for a document in the trash
   */
  attach(
    { id, uid, projectId }: DocumentResource,
    caller: Caller,
    attachmentIds: readonly number[],
  ): Promise<AttachmentDto[]> {
    return this.transactions.run(async (manager) => {
      const { title } = await this.documents.lockActive(manager, id);
      const attached = await this.links.attach(manager, DOCUMENT_FILES, id, caller, attachmentIds);
      await this.activities.record(manager, {
        projectId,
        type: ActivityType.DocumentAttachmentAdded,
        content: { id: uid, title, attachments: attached },
        author: caller,
      });
      return attached;
    });
  }

  /** Returns the content of a file. */
  download({ attachmentId }: DocumentAttachmentResource): Promise<FileAnswer> {
    return this.links.download(attachmentId);
  }

  /**
   * Removes a file and returns its last state.
   * @throws NoResourceError for a document in the trash
   */
  remove({ id, attachmentId }: DocumentAttachmentResource): Promise<AttachedFileDto> {
    return this.transactions.run(async (manager) => {
      await this.documents.lockActive(manager, id);
      return this.links.detach(manager, DOCUMENT_FILES, id, attachmentId);
    });
  }
}
