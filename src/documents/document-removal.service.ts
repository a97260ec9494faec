import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { AttachmentLinksService } from '../attachments/attachment-links.service';
import { ProjectRemovalService } from '../projects/project-removal.service';
import { DOCUMENT_FILES } from './attachments/document-files';
import { DocumentTagRepository } from './data/document-tag.repository';
import { DocumentRepository } from './data/document.repository';

/** Removes the documents of deleted projects. */
@Injectable()
export class DocumentRemovalService implements OnModuleInit {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly tags: DocumentTagRepository,
    private readonly removal: ProjectRemovalService,
    private readonly links: AttachmentLinksService,
  ) {}

  onModuleInit(): void {
    this.removal.register(
      'contents',
      (...batch) => this.removeDocuments(...batch),
      (...batch) => this.tags.deleteSomeOfProject(...batch),
    );
  }

  /** Removes documents but not their threads, which are removed with the project's other comments. */
  private async removeDocuments(manager: EntityManager, projectId: number, limit: number): Promise<number> {
    const documents = await this.documents.findSomeOfProject(manager, projectId, limit);
    if (documents.length === 0) return 0;
    const ids = documents.map((document) => document.id);
    await this.links.detachAll(manager, DOCUMENT_FILES, ids);
    await this.tags.removeFromDocuments(manager, ids);
    await this.documents.delete(manager, ids);
    return documents.length;
  }
}
