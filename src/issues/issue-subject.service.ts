import { Injectable, type OnModuleInit } from '@nestjs/common';
import { NotificationSubjectsService } from '../notifications/notification-subjects.service';
import { StarSubjectsService } from '../stars/star-subjects.service';
import { IssueReaderService } from './issue-reader.service';
import { IssuesService } from './issues.service';

/** Registers issues and their comments as subjects of stars, and issues as subjects of notifications. */
@Injectable()
export class IssueSubjectService implements OnModuleInit {
  constructor(
    private readonly stars: StarSubjectsService,
    private readonly notifications: NotificationSubjectsService,
    private readonly issues: IssuesService,
    private readonly reader: IssueReaderService,
  ) {}

  onModuleInit(): void {
    this.stars.register({
      field: 'issueId',
      find: (caller, id) => this.issues.findStarrable(caller, id),
      comments: {
        field: 'commentId',
        findByThread: (caller, threadId) => this.issues.findStarrableByThread(caller, threadId),
      },
    });
    this.notifications.register('issue', (threadIds) => this.reader.readByThreadIds(threadIds));
  }
}
