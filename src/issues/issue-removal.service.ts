import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { AttachmentLinksService } from '../attachments/attachment-links.service';
import { ProjectRemovalService } from '../projects/project-removal.service';
import { ISSUE_FILES } from './attachments/issue-files';
import { IssueRepository } from './data/issue.repository';
import { WatchingRepository } from './data/watching.repository';

/** Removes the issues of deleted projects. Comments, stars and notifications belong to threads, which `comments` removes. */
@Injectable()
export class IssueRemovalService implements OnModuleInit {
  constructor(
    private readonly removal: ProjectRemovalService,
    private readonly files: AttachmentLinksService,
    private readonly issues: IssueRepository,
    private readonly watchings: WatchingRepository,
  ) {}

  onModuleInit(): void {
    // Watchings are removed separately, because an issue with many watchers would make a batch of issues slow.
    this.removal.register(
      'contents',
      (...batch) => this.watchings.deleteOfProject(...batch),
      (...batch) => this.remove(...batch),
    );
  }

  private async remove(manager: EntityManager, projectId: number, limit: number): Promise<number> {
    const ids = await this.issues.findIdsInProject(projectId, limit, manager);
    if (ids.length === 0) return 0;
    await this.files.detachAll(manager, ISSUE_FILES, ids);
    await this.issues.delete(manager, ids);
    return ids.length;
  }
}
