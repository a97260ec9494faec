import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { AttachmentLinksService } from '../attachments/attachment-links.service';
import { CommentsService } from '../comments/comments.service';
import { ProjectRemovalService } from '../projects/project-removal.service';
import { WIKI_FILES } from './attachments/wiki-files';
import { WikiHistoryRepository } from './data/wiki-history.repository';
import { WikiTagRepository } from './data/wiki-tag.repository';
import { WikiRepository } from './data/wiki.repository';

/** Removes the wiki pages of deleted projects. */
@Injectable()
export class WikiRemovalService implements OnModuleInit {
  constructor(
    private readonly wikis: WikiRepository,
    private readonly history: WikiHistoryRepository,
    private readonly tags: WikiTagRepository,
    private readonly removal: ProjectRemovalService,
    private readonly links: AttachmentLinksService,
    private readonly comments: CommentsService,
  ) {}

  onModuleInit(): void {
    // Versions are removed first because a page can have any number of them.
    this.removal.register(
      'contents',
      (...batch) => this.history.deleteSomeOfProject(...batch),
      (...batch) => this.removePages(...batch),
      (...batch) => this.tags.deleteSomeOfProject(...batch),
    );
  }

  private async removePages(manager: EntityManager, projectId: number, limit: number): Promise<number> {
    const wikis = await this.wikis.findSomeOfProject(manager, projectId, limit);
    if (wikis.length === 0) return 0;
    const ids = wikis.map((wiki) => wiki.id);
    await this.links.detachAll(manager, WIKI_FILES, ids);
    await this.wikis.delete(manager, ids);
    // A page that was changed after its versions were removed has a new version.
    await this.history.deleteOfPages(manager, ids);
    await this.comments.removeThreads(
      manager,
      wikis.map((wiki) => wiki.threadId),
    );
    return wikis.length;
  }
}
