import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { ActivitiesService } from '../activities/activities.service';
import { ActivityType } from '../activities/activity-type';
import { AttachmentsService } from '../attachments/attachments.service';
import { type AttachmentDto } from '../attachments/dto/attachment.dto';
import { insertRow, insertRows } from '../database/statements';
import { Transactions } from '../database/transactions';
import { type Caller } from '../users/caller';
import { WikiAttachment } from './entities/wiki-attachment.entity';
import { Wiki } from './entities/wiki.entity';
import { type WikiSubject } from './wiki.resolver';

/** A wiki page to be written. */
export type NewWiki = Pick<Wiki, 'projectId' | 'name' | 'content' | 'createdUserId'>;

/** Wiki pages. */
@Injectable()
export class WikisService {
  constructor(
    private readonly transactions: Transactions,
    private readonly attachments: AttachmentsService,
    private readonly activities: ActivitiesService,
  ) {}

  /**
   * Spec 4.7: attaches uploads of the caller, and writes activity 6.
   * @returns the files attached now, in the order asked for
   * @throws InvalidRequestError for a file that cannot be used; none is attached
   */
  attachFiles(wiki: WikiSubject, caller: Caller, attachmentIds: readonly number[]): Promise<AttachmentDto[]> {
    return this.transactions.run(async (manager) => {
      const attached = await this.attachments.claim(manager, caller, attachmentIds, 'attachmentId');
      await insertRows(
        manager,
        WikiAttachment,
        attached.map((file) => ({ attachmentId: file.id, wikiId: wiki.id })),
      );
      await this.activities.record(manager, {
        projectId: wiki.projectId,
        type: ActivityType.WikiUpdated,
        content: {
          id: wiki.id,
          name: wiki.name,
          content: wiki.content,
          diff: '',
          version: wiki.version,
          attachments: attached,
          shared_files: [],
        },
        createdUserId: caller.id,
        created: Date.now(),
      });
      return attached;
    });
  }

  /** Adds a page. */
  add(manager: EntityManager, wiki: NewWiki): Promise<number> {
    return insertRow(manager, Wiki, { ...wiki, version: 1, created: Date.now() });
  }
}
