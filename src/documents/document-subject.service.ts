import { Injectable, type OnModuleInit } from '@nestjs/common';
import { NotificationSubjectsService } from '../notifications/notification-subjects.service';
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
    this.notifications.register('document', (threadIds, requester) =>
      this.documents.findByThreads(threadIds, requester),
    );
    this.notifications.registerDocumentComments((ids) => this.comments.findByIds(ids));
  }
}
