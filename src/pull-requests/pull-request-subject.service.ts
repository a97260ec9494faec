import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Caller } from '../access/caller';
import { DEVELOPERS } from '../access/role-type';
import { NotificationSubjectsService } from '../notifications/notification-subjects.service';
import { StarSubjectsService } from '../stars/star-subjects.service';
import { PullRequestsService } from './pull-requests.service';

/** Lets users star pull requests and their comments, and has pull requests shown in the notifications about them. */
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
      hides: (caller, threadId) => this.hides(caller, threadId),
    });
    this.notifications.register('pullRequest', (threadIds) => this.pullRequests.findByThreadIds(threadIds));
  }

  /** Pull requests are hidden from some roles, whatever their projects. */
  private async hides(caller: Caller, threadId: number): Promise<boolean> {
    if (DEVELOPERS.includes(caller.roleType)) return false;
    return (await this.pullRequests.findByThreadIds([threadId])).has(threadId);
  }
}
