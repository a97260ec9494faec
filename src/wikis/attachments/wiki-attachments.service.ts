import { Injectable } from '@nestjs/common';
import { ActivitiesService } from '../../activities/activities.service';
import { ActivityType } from '../../activities/activity-type';
import { AttachmentLinksService } from '../../attachments/attachment-links.service';
import { type AttachedFileDto } from '../../attachments/dto/attached-file.dto';
import { type AttachmentDto } from '../../attachments/dto/attachment.dto';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { type FileAnswer } from '../../http/response/file-answer';
import { type Caller } from '../../access/caller';
import { WikiRepository } from '../data/wiki.repository';
import { WIKI_FILES } from './wiki-files';
import { type WikiAttachmentResource } from './wiki-attachment.loader';
import { wikiActivity } from '../wiki-activity';
import { type WikiResource } from '../wiki.loader';

/** Manages the files attached to wiki pages. */
@Injectable()
export class WikiAttachmentsService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly wikis: WikiRepository,
    private readonly links: AttachmentLinksService,
    private readonly activities: ActivitiesService,
  ) {}

  /**
   * Attaches uploads of the caller, and records activity 6 (`docs/protocol.md#attach-files-to-a-wiki-page`).
   * @returns the files attached by this request, in the order of `attachmentIds`
   * @throws InvalidRequestError for a file that cannot be used; none is attached
   */
  attach(wiki: WikiResource, caller: Caller, attachmentIds: readonly number[]): Promise<AttachmentDto[]> {
    return this.transactions.run(async (manager) => {
      const state = await this.wikis.lock(manager, wiki.id);
      const attached = await this.links.attach(manager, WIKI_FILES, wiki.id, caller, attachmentIds);
      await this.activities.record(manager, {
        projectId: wiki.projectId,
        type: ActivityType.WikiUpdated,
        content: wikiActivity(wiki.id, state, { attachments: attached }),
        author: caller,
      });
      return attached;
    });
  }

  /** Returns the files of a page, oldest first. */
  list(wiki: WikiResource): Promise<AttachedFileDto[]> {
    return this.links.list(WIKI_FILES, wiki.id);
  }

  /** Returns the content of a file. */
  download({ attachmentId }: WikiAttachmentResource): Promise<FileAnswer> {
    return this.links.download(attachmentId);
  }

  /** Removes a file and returns its last state. */
  remove({ id, attachmentId }: WikiAttachmentResource): Promise<AttachedFileDto> {
    return this.transactions.run((manager) => this.links.detach(manager, WIKI_FILES, id, attachmentId));
  }
}
