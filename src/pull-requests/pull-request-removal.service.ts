import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { AttachmentLinksService } from '../attachments/attachment-links.service';
import { CommentsService } from '../comments/comments.service';
import { GitRepositoryRemovalService } from '../git-repositories/git-repository-removal.service';
import { ProjectRemovalService } from '../projects/project-removal.service';
import { PULL_REQUEST_FILES } from './attachments/pull-request-files';
import { type PullRequestKeys, PullRequestRepository } from './data/pull-request.repository';

/** Removes the pull requests of projects and git repositories that are being removed. */
@Injectable()
export class PullRequestRemovalService implements OnModuleInit {
  constructor(
    private readonly pullRequests: PullRequestRepository,
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

  /** Removes pull requests without their threads, which are removed with the project's other comments. */
  private async removeOfProject(manager: EntityManager, projectId: number, limit: number): Promise<number> {
    const pullRequests = await this.pullRequests.lockSomeOfProject(manager, projectId, limit);
    await this.remove(manager, pullRequests);
    return pullRequests.length;
  }

  /** Removes pull requests with their threads; comments first, because they are most of the rows. */
  private async removeOfRepository(
    manager: EntityManager,
    repositoryId: number,
    limit: number,
  ): Promise<boolean> {
    const pullRequests = await this.pullRequests.lockSomeOfRepository(manager, repositoryId, limit);
    if (pullRequests.length === 0) return true;
    const threadIds = pullRequests.map((pullRequest) => pullRequest.threadId);
    if ((await this.comments.removeComments(manager, threadIds, limit)) >= limit) return false;
    await this.remove(manager, pullRequests);
    await this.comments.removeThreads(manager, threadIds);
    return pullRequests.length < limit;
  }

  private async remove(manager: EntityManager, pullRequests: readonly PullRequestKeys[]): Promise<void> {
    if (pullRequests.length === 0) return;
    const ids = pullRequests.map((pullRequest) => pullRequest.id);
    await this.attachments.detachAll(manager, PULL_REQUEST_FILES, ids);
    await this.pullRequests.delete(manager, ids);
  }
}
