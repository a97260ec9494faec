import { Injectable } from '@nestjs/common';
import { AttachmentLinksService } from '../../attachments/attachment-links.service';
import { type AttachedFileDto } from '../../attachments/dto/attached-file.dto';
import { TransactionsService } from '../../database/transactions.service';
import { type FileAnswer } from '../../http/response/file-answer';
import { type PullRequestAttachmentResource } from './pull-request-attachment.loader';
import { PULL_REQUEST_FILES } from './pull-request-files';
import { PullRequestReaderService } from '../pull-request-reader.service';
import { type PullRequestResource } from '../pull-request.loader';

/** Files of pull requests. */
@Injectable()
export class PullRequestAttachmentsService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly attachments: AttachmentLinksService,
    private readonly reader: PullRequestReaderService,
  ) {}

  /** All of a pull request, oldest first. */
  list(pullRequest: PullRequestResource): Promise<AttachedFileDto[]> {
    return this.attachments.list(PULL_REQUEST_FILES, pullRequest.id);
  }

  /** The bytes of one. */
  download({ attachmentId }: PullRequestAttachmentResource): Promise<FileAnswer> {
    return this.attachments.download(attachmentId);
  }

  /**
   * Removes one and gives what it was; tells nobody.
   * @throws NoResourceError when somebody else has been faster
   */
  remove({ id, attachmentId }: PullRequestAttachmentResource): Promise<AttachedFileDto> {
    return this.transactions.run(async (manager) => {
      await this.reader.lock(manager, id);
      return this.attachments.detach(manager, PULL_REQUEST_FILES, id, attachmentId);
    });
  }
}
