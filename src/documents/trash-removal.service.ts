import { Injectable } from '@nestjs/common';
import { AttachmentLinksService } from '../attachments/attachment-links.service';
import { CommentsService } from '../comments/comments.service';
import { BackgroundService } from '../background/background.service';
import { type BackgroundWork } from '../background/background-work';
import { TransactionsService } from '../database/transactions/transactions.service';
import { ProjectCountersService } from '../projects/project-counters.service';
import { DOCUMENT_FILES } from './attachments/document-files';
import { type DocumentKeys, DocumentRepository } from './data/document.repository';
import { DocumentTagsService } from './tags/document-tags.service';
import { DocumentTreeService } from './tree/document-tree.service';

/** Number of documents read at once. */
const BATCH = 100;
/** Interval between searches for documents that are due for removal, in milliseconds. */
const INTERVAL_MS = 10 * 60_000;

/**
 * Removes documents that have been deleted from the trash, and those whose time in it has expired, each in its own transaction. After a
 * crash, the removal resumes where it stopped; several processes can run it concurrently.
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

  /** Starts a removal, or schedules another one after the one in progress. */
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
      // The document may have been moved out of the trash, or removed by another process.
      if (!(await this.documents.isDue(manager, id, now))) return;
      await this.links.detachAll(manager, DOCUMENT_FILES, [id]);
      await this.tags.removeAll(manager, id);
      await this.documents.delete(manager, [id]);
      await this.comments.removeThread(manager, threadId);
      await this.counters.giveBack(manager, projectId, 'document');
    });
  }
}
