import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DEVELOPERS } from '../access/role-type';
import { NotificationSubjectsService } from '../notifications/notification-subjects.service';
import { StarSubjectsService } from '../stars/star-subjects.service';
import { PullRequestReaderService } from './pull-request-reader.service';
import { PullRequestsService } from './pull-requests.service';

/** Registers pull requests and their comments as subjects of stars, and pull requests as subjects of notifications. */
@Injectable()
export class PullRequestSubjectService implements OnModuleInit {
  constructor(
    private readonly stars: StarSubjectsService,
    private readonly notifications: NotificationSubjectsService,
    private readonly pullRequests: PullRequestsService,
    private readonly reader: PullRequestReaderService,
  ) {}

  onModuleInit(): void {
    this.stars.register({
      field: 'pullRequestId',
      find: (caller, id) => this.pullRequests.findStarrable(caller, id),
      comments: {
        field: 'pullRequestCommentId',
        findByThread: (caller, threadId) => this.pullRequests.findStarrableByThread(caller, threadId),
      },
      isHiddenFrom: async (caller, threadId) =>
        !DEVELOPERS.includes(caller.roleType) && (await this.pullRequests.ownsThread(threadId)),
    });
    this.notifications.register('pullRequest', (threadIds) => this.reader.readByThreads(threadIds));
  }
}
