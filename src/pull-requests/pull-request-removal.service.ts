import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { AttachmentLinksService } from '../attachments/attachment-links.service';
import { CommentsService } from '../comments/comments.service';
import { inList, selectForUpdate } from '../database/statements';
import { GitRepositoryRemovalService } from '../git-repositories/git-repository-removal.service';
import { ProjectRemovalService } from '../projects/project-removal.service';
import { PULL_REQUEST_FILES } from './attachments/pull-request-files';

interface PullRequestKeys {
  id: number;
  threadId: number;
}

/** Removes the pull requests of what is removed itself. */
@Injectable()
export class PullRequestRemovalService implements OnModuleInit {
  constructor(
    private readonly attachments: AttachmentLinksService,
    private readonly comments: CommentsService,
    private readonly projectRemoval: ProjectRemovalService,
    private readonly repositoryRemoval: GitRepositoryRemovalService,
  ) {}

  onModuleInit(): void {
    this.projectRemoval.register('pull requests', (manager, projectId, limit) =>
      this.removeOfProject(manager, projectId, limit),
    );
    this.repositoryRemoval.onRemoval((manager, repositoryId, limit) =>
      this.removeOfRepository(manager, repositoryId, limit),
    );
  }

  /** The threads are removed with the project's other comments. */
  private async removeOfProject(manager: EntityManager, projectId: number, limit: number): Promise<number> {
    const pullRequests = await this.take(manager, 'project_id', projectId, limit);
    await this.remove(manager, pullRequests);
    return pullRequests.length;
  }

  /** Comments are the most of it and go first. */
  private async removeOfRepository(
    manager: EntityManager,
    repositoryId: number,
    limit: number,
  ): Promise<boolean> {
    const pullRequests = await this.take(manager, 'repository_id', repositoryId, limit);
    if (pullRequests.length === 0) return true;
    const threadIds = pullRequests.map((pullRequest) => pullRequest.threadId);
    if ((await this.comments.removeComments(manager, threadIds, limit)) >= limit) return false;
    await this.remove(manager, pullRequests);
    await this.comments.removeThreads(manager, threadIds);
    return pullRequests.length < limit;
  }

  /** Some pull requests, to which nobody adds anything while the transaction has them. */
  private take(
    manager: EntityManager,
    column: 'project_id' | 'repository_id',
    value: number,
    limit: number,
  ): Promise<PullRequestKeys[]> {
    return selectForUpdate<PullRequestKeys>(
      manager,
      `SELECT id, thread_id AS threadId FROM pull_request WHERE ${column} = ? LIMIT ${limit}`,
      [value],
    );
  }

  private async remove(manager: EntityManager, pullRequests: readonly PullRequestKeys[]): Promise<void> {
    if (pullRequests.length === 0) return;
    const ids = pullRequests.map((pullRequest) => pullRequest.id);
    await this.attachments.detachAll(manager, PULL_REQUEST_FILES, ids);
    const list = inList(ids);
    await manager.query(`DELETE FROM pull_request WHERE id ${list.sql}`, list.parameters);
  }
}
