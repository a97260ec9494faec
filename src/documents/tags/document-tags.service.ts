import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { NoResourceError } from '../../errors/domain-errors';
import { CountLimitsService } from '../../limits/count-limits.service';
import { DocumentTagRepository, type DocumentTagRow } from '../data/document-tag.repository';
import { DocumentRepository } from '../data/document.repository';
import { type DocumentResource } from '../document-resource';
import { DocumentStatus } from '../document-status';
import { type DocumentTagDto } from '../dto/document-tags.dto';
import { DocumentTreeService } from '../tree/document-tree.service';

/** Manages the tags of documents. A tag is removed with the last document that has it. Every change of tags locks the tree. */
@Injectable()
export class DocumentTagsService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly tags: DocumentTagRepository,
    private readonly documents: DocumentRepository,
    private readonly tree: DocumentTreeService,
    private readonly limits: CountLimitsService,
  ) {}

  /**
   * Adds tags to a document, and returns all its tags. Emits no event.
   * @throws ResourceOverflowError when it would have too many, NoResourceError for a document in the trash
   */
  add({ id, projectId }: DocumentResource, names: readonly string[]): Promise<DocumentTagDto[]> {
    return this.transactions.run(async (manager) => {
      const has = await this.lock(manager, { id, projectId });
      const missing = names.filter((name) => !has.some((tag) => tag.name === name));
      if (missing.length === 0) return has;
      this.limits.require('documentTag', has.length + missing.length);
      const known = await this.tags.findByNames(manager, projectId, missing);
      const unknown = missing.filter((name) => !known.some((tag) => tag.name === name));
      if (unknown.length > 0) await this.tags.insert(manager, projectId, unknown);
      const tags = unknown.length > 0 ? await this.tags.findByNames(manager, projectId, missing) : known;
      await this.tags.addToDocument(
        manager,
        id,
        tags.map((tag) => tag.id),
      );
      return this.listOf(manager, id);
    });
  }

  /**
   * Removes tags from a document, and returns the remaining ones. Ignores names of tags that it does not have.
   * @throws NoResourceError for a document in the trash
   */
  remove({ id, projectId }: DocumentResource, names: readonly string[]): Promise<DocumentTagDto[]> {
    return this.transactions.run(async (manager) => {
      const has = await this.lock(manager, { id, projectId });
      const removed = has.filter((tag) => names.includes(tag.name)).map((tag) => tag.id);
      if (removed.length > 0) {
        await this.tags.removeFromDocument(manager, id, removed);
        await this.tags.deleteUnused(manager, removed);
      }
      return has.filter((tag) => !removed.includes(tag.id));
    });
  }

  /** Removes all tags from a document that is about to be removed; the tree must be locked. */
  async removeAll(manager: EntityManager, id: number): Promise<void> {
    const has = await this.listOf(manager, id);
    if (has.length === 0) return;
    await this.tags.removeFromDocuments(manager, [id]);
    await this.tags.deleteUnused(
      manager,
      has.map((tag) => tag.id),
    );
  }

  private async lock(
    manager: EntityManager,
    { id, projectId }: Pick<DocumentResource, 'id' | 'projectId'>,
  ): Promise<DocumentTagRow[]> {
    await this.tree.lock(manager, projectId);
    const { statusId } = await this.documents.lock(manager, id);
    if (statusId !== (DocumentStatus.Active as number)) throw new NoResourceError('document');
    return this.listOf(manager, id);
  }

  private async listOf(manager: EntityManager, id: number): Promise<DocumentTagDto[]> {
    const tags = await this.tags.findOfDocuments([id], manager);
    return tags.map((tag) => ({ id: tag.id, name: tag.name }));
  }
}
