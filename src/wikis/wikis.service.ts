import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { ActivitiesService } from '../activities/activities.service';
import { ActivityType } from '../activities/activity-type';
import { AttachmentsService } from '../attachments/attachments.service';
import { type AttachmentDto } from '../attachments/dto/attachment.dto';
import { CommentsService } from '../comments/comments.service';
import { insertRow, insertRows, lockRow } from '../database/statements';
import { Transactions } from '../database/transactions';
import { NoResourceError } from '../errors/domain-errors';
import { type Caller } from '../users/caller';
import { WikiAttachment } from './entities/wiki-attachment.entity';
import { WikiVersion } from './entities/wiki-version.entity';
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
    private readonly comments: CommentsService,
    private readonly activities: ActivitiesService,
  ) {}

  /**
   * Spec 4.7: attaches uploads of the caller, and writes activity 6.
   * @returns the files attached now, in the order asked for
   * @throws InvalidRequestError for a file that cannot be used; none is attached
   */
  attachFiles(wiki: WikiSubject, caller: Caller, attachmentIds: readonly number[]): Promise<AttachmentDto[]> {
    return this.transactions.run(async (manager) => {
      const { name, content, version } = await this.lock(manager, wiki.id);
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
          name,
          content,
          diff: '',
          version,
          attachments: attached,
          shared_files: [],
        },
        createdUserId: caller.id,
        created: Date.now(),
      });
      return attached;
    });
  }

  /** Adds a page, with its first version. */
  async add(manager: EntityManager, wiki: NewWiki): Promise<number> {
    const threadId = await this.comments.addThread(manager, wiki.projectId);
    const { name, content, createdUserId } = wiki;
    const created = Date.now();
    const wikiId = await insertRow(manager, Wiki, {
      ...wiki,
      threadId,
      version: 1,
      created,
      updatedUserId: createdUserId,
      updated: created,
    });
    await insertRow(manager, WikiVersion, { wikiId, version: 1, name, content, createdUserId, created });
    return wikiId;
  }

  /** Takes the page for this transaction and gives what it is now. */
  private async lock(
    manager: EntityManager,
    id: number,
  ): Promise<Pick<Wiki, 'name' | 'content' | 'version'>> {
    await lockRow(manager, 'wiki', id);
    const [row] = await manager.query<Pick<Wiki, 'name' | 'content' | 'version'>[]>(
      'SELECT name, content, version FROM wiki WHERE id = ?',
      [id],
    );
    if (!row) throw new NoResourceError('wiki page');
    return row;
  }
}
