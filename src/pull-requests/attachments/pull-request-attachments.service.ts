import { Injectable } from '@nestjs/common';
import { AttachmentLinksService } from '../../attachments/attachment-links.service';
import { type AttachedFileDto } from '../../attachments/dto/attached-file.dto';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { type FileAnswer } from '../../http/response/file-answer';
import { type PullRequestAttachmentResource } from './pull-request-attachment.loader';
import { PULL_REQUEST_FILES } from './pull-request-files';
import { PullRequestRepository } from '../data/pull-request.repository';
import { type PullRequestResource } from '../pull-request.loader';

/** Lists, downloads and removes the files of pull requests. */
@Injectable()
export class PullRequestAttachmentsService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly attachments: AttachmentLinksService,
    private readonly pullRequests: PullRequestRepository,
  ) {}

  /** Returns the files of a pull request, oldest first. */
  list(pullRequest: PullRequestResource): Promise<AttachedFileDto[]> {
    return this.attachments.list(PULL_REQUEST_FILES, pullRequest.id);
  }

  /** Returns the content of a file. */
  download({ attachmentId }: PullRequestAttachmentResource): Promise<FileAnswer> {
    return this.attachments.download(attachmentId);
  }

  /**
   * Removes a file and returns its last state; emits no event.
   * @throws NoResourceError when it has been removed concurrently
   */
  remove({ id, attachmentId }: PullRequestAttachmentResource): Promise<AttachedFileDto> {
    return this.transactions.run(async (manager) => {
      await this.pullRequests.lock(manager, id);
      return this.attachments.detach(manager, PULL_REQUEST_FILES, id, attachmentId);
    });
  }
}
