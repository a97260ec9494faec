import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Caller } from '../access/caller';
import { DEVELOPERS } from '../access/role-type';
import { NotificationSubjectsService } from '../notifications/notification-subjects.service';
import { StarSubjectsService } from '../stars/star-subjects.service';
import { PullRequestsService } from './pull-requests.service';

/** Registers pull requests and their comments as subjects of stars, and pull requests as subjects of notifications. */
@Injectable()
export class PullRequestSubjectService implements OnModuleInit {
  constructor(
    private readonly stars: StarSubjectsService,
    private readonly notifications: NotificationSubjectsService,
    private readonly pullRequests: PullRequestsService,
  ) {}

  onModuleInit(): void {
    this.stars.register({
      field: 'pullRequestId',
      find: (caller, id) => this.pullRequests.findStarrable(caller, id),
      comments: {
        field: 'pullRequestCommentId',
        findByThread: (caller, threadId) => this.pullRequests.findStarrableByThread(caller, threadId),
      },
      isHiddenFrom: (caller, threadId) => this.isHiddenFrom(caller, threadId),
    });
    this.notifications.register('pullRequest', (threadIds) => this.pullRequests.findByThreadIds(threadIds));
  }

  /** Returns whether a thread is a pull request's and the caller's role may not see pull requests in any project. */
  private async isHiddenFrom(caller: Caller, threadId: number): Promise<boolean> {
    if (DEVELOPERS.includes(caller.roleType)) return false;
    return (await this.pullRequests.findByThreadIds([threadId])).has(threadId);
  }
}
