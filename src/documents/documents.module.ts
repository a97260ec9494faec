import { Module } from '@nestjs/common';
import { ActivitiesModule } from '../activities/activities.module';
import { AttachmentsModule } from '../attachments/attachments.module';
import { AuditLogModule } from '../audit-log/audit-log.module';
import { CommentsModule } from '../comments/comments.module';
import { NotificationsModule } from '../notifications/notifications.module';
import { ProjectsModule } from '../projects/projects.module';
import { SearchIndexModule } from '../search-index/search-index.module';
import { UsersModule } from '../users/users.module';
import { DocumentAttachmentLoader } from './attachments/document-attachment.loader';
import { DocumentAttachmentsController } from './attachments/document-attachments.controller';
import { DocumentAttachmentsService } from './attachments/document-attachments.service';
import { DocumentCommentReaderService } from './comments/document-comment-reader.service';
import { DocumentCommentLoader } from './comments/document-comment.loader';
import { DocumentCommentsController } from './comments/document-comments.controller';
import { DocumentCommentsService } from './comments/document-comments.service';
import { DocumentCommentRepository } from './data/document-comment.repository';
import { DocumentSearchRepository } from './data/document-search.repository';
import { DocumentTagRepository } from './data/document-tag.repository';
import { DocumentTreeRepository } from './data/document-tree.repository';
import { DocumentRepository } from './data/document.repository';
import { DocumentListsService } from './document-lists.service';
import { DocumentReaderService } from './document-reader.service';
import { DocumentRemovalService } from './document-removal.service';
import { DocumentSubjectService } from './document-subject.service';
import { DocumentLoader } from './document.loader';
import { DocumentsController } from './documents.controller';
import { DocumentsService } from './documents.service';
import { EditorTextService } from './editor/editor-text.service';
import { DocumentTagsService } from './tags/document-tags.service';
import { TrashRemovalService } from './trash-removal.service';
import { DocumentTreeService } from './tree/document-tree.service';

/** Module of documents with their tree, tags, files and comments. */
@Module({
  imports: [
    UsersModule,
    ProjectsModule,
    AttachmentsModule,
    ActivitiesModule,
    AuditLogModule,
    NotificationsModule,
    CommentsModule,
    SearchIndexModule,
  ],
  controllers: [DocumentsController, DocumentAttachmentsController, DocumentCommentsController],
  providers: [
    DocumentRepository,
    DocumentTreeRepository,
    DocumentSearchRepository,
    DocumentTagRepository,
    DocumentCommentRepository,
    EditorTextService,
    DocumentsService,
    DocumentReaderService,
    DocumentListsService,
    DocumentTreeService,
    DocumentTagsService,
    DocumentAttachmentsService,
    DocumentCommentsService,
    DocumentCommentReaderService,
    DocumentRemovalService,
    TrashRemovalService,
    DocumentSubjectService,
    DocumentLoader,
    DocumentAttachmentLoader,
    DocumentCommentLoader,
  ],
  exports: [
    DocumentsService,
    DocumentReaderService,
    DocumentCommentsService,
    DocumentCommentReaderService,
    EditorTextService,
  ],
})
export class DocumentsModule {}
