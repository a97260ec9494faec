import { Injectable } from '@nestjs/common';
import { AttachmentLinksService } from '../attachments/attachment-links.service';
import { CommentsService } from '../comments/comments.service';
import { BackgroundService } from '../background/background.service';
import { type BackgroundWork } from '../background/background-work';
import { TransactionsService } from '../database/transactions.service';
import { ProjectCountersService } from '../projects/project-counters.service';
import { DOCUMENT_FILES } from './attachments/document-files';
import { type DocumentKeys, DocumentRepository } from './data/document.repository';
import { DocumentTagsService } from './tags/document-tags.service';
import { DocumentTreeService } from './tree/document-tree.service';

/** How many documents are looked for at once. */
const BATCH = 100;
/** How often to look for documents whose time is over, in milliseconds. */
const INTERVAL_MS = 10 * 60_000;

/**
 * Removes documents that have been deleted from the trash, and those that have been in it for long enough, each in a transaction
 * of its own. After a crash the removal continues where it was, and several processes may run it at once.
 */
@Injectable()
export class TrashRemovalService {
  private readonly background: BackgroundWork;

  constructor(
    background: BackgroundService,
    private readonly transactions: TransactionsService,
    private readonly documents: DocumentRepository,
    private readonly tree: DocumentTreeService,
    private readonly tags: DocumentTagsService,
    private readonly links: AttachmentLinksService,
    private readonly comments: CommentsService,
    private readonly counters: ProjectCountersService,
  ) {
    this.background = background.add('document_removal', () => this.removeDue(), {
      intervalMs: INTERVAL_MS,
      failure: 'Could not remove documents from the trash',
    });
  }

  /** Starts a removal, or another one after that in progress. */
  start(): void {
    this.background.start();
  }

  private async removeDue(): Promise<void> {
    for (let found = BATCH; found === BATCH;) {
      const now = Date.now();
      const due = await this.documents.findDue(now, BATCH);
      for (const document of due) {
        if (this.background.isStopping) return;
        await this.remove(document, now);
      }
      found = due.length;
    }
  }

  private async remove({ id, projectId, threadId }: DocumentKeys, now: number): Promise<void> {
    await this.transactions.run(async (manager) => {
      await this.tree.lock(manager, projectId);
      // Somebody may have moved it out of the trash, or another process have removed it.
      if (!(await this.documents.isDue(manager, id, now))) return;
      await this.links.detachAll(manager, DOCUMENT_FILES, [id]);
      await this.tags.removeAll(manager, id);
      await this.documents.delete(manager, [id]);
      await this.comments.removeThread(manager, threadId);
      await this.counters.giveBack(manager, projectId, 'document');
    });
  }
}
