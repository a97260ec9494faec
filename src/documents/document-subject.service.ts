import { Injectable, type OnModuleInit } from '@nestjs/common';
import { NotificationSubjectsService } from '../notifications/notification-subjects.service';
import { withAllUsers } from '../users/without-users';
import { DocumentCommentReaderService } from './comments/document-comment-reader.service';
import { DocumentReaderService } from './document-reader.service';

/** Registers documents and the comments on them as subjects of notifications. */
@Injectable()
export class DocumentSubjectService implements OnModuleInit {
  constructor(
    private readonly notifications: NotificationSubjectsService,
    private readonly documents: DocumentReaderService,
    private readonly comments: DocumentCommentReaderService,
  ) {}

  onModuleInit(): void {
    // Long documents are read in parts, each with its users.
    this.notifications.register('document', async (threadIds, requester) =>
      withAllUsers(await this.documents.findByThreads(threadIds, requester)),
    );
    this.notifications.register('documentComment', (ids, requester) =>
      this.comments.readByIds(ids, requester),
    );
  }
}
