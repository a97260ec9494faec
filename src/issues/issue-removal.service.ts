import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { AttachmentLinksService } from '../attachments/attachment-links.service';
import { inList } from '../database/statements';
import { ProjectRemovalService } from '../projects/project-removal.service';
import { ISSUE_FILES } from './attachments/issue-files';

/** Removes the issues of deleted projects; what hangs on their threads is removed by the comments. */
@Injectable()
export class IssueRemovalService implements OnModuleInit {
  constructor(
    private readonly removal: ProjectRemovalService,
    private readonly files: AttachmentLinksService,
  ) {}

  onModuleInit(): void {
    this.removal.register('issues', (manager, projectId, limit) => this.remove(manager, projectId, limit));
  }

  private async remove(manager: EntityManager, projectId: number, limit: number): Promise<number> {
    const rows = await manager.query<{ id: number }[]>(
      `SELECT id FROM issue WHERE project_id = ? LIMIT ${limit}`,
      [projectId],
    );
    const ids = rows.map((row) => row.id);
    if (ids.length === 0) return 0;
    await this.files.detachAll(manager, ISSUE_FILES, ids);
    const list = inList(ids);
    await manager.query(`DELETE FROM issue WHERE id ${list.sql}`, list.parameters);
    return ids.length;
  }
}
