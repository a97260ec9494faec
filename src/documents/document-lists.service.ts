import { Injectable } from '@nestjs/common';
import { type AuthorizedSearcher } from '../access/access';
import { type Caller } from '../access/caller';
import { type CountDto } from '../http/response/count.dto';
import { Page } from '../paging/page';
import { DocumentSearchRepository } from './data/document-search.repository';
import { DocumentTreeRepository } from './data/document-tree.repository';
import { DocumentRepository } from './data/document.repository';
import { DocumentReaderService } from './document-reader.service';
import { toDocumentTreeDto } from './document.mapper';
import { type ListDocumentsQuery } from './dto/document-queries.dto';
import { type DocumentTreeDto } from './dto/document-tree.dto';
import { type DocumentDto } from './dto/document.dto';

/** Lists and counts documents. */
@Injectable()
export class DocumentListsService {
  constructor(
    private readonly searches: DocumentSearchRepository,
    private readonly documents: DocumentRepository,
    private readonly trees: DocumentTreeRepository,
    private readonly reader: DocumentReaderService,
  ) {}

  /**
   * Returns one page of the documents that match a query and that the caller can see, except those in the trash.
   * @throws the guard's error when the caller loses their permissions during a search
   */
  async list(
    caller: Caller,
    query: ListDocumentsQuery,
    searcher: AuthorizedSearcher,
  ): Promise<Page<DocumentDto>> {
    const { items, next } = await this.searches.findPage(caller, query, searcher);
    const documents = await this.reader.findSized(items, searcher);
    const isVisible = query.keyword
      ? await this.visibleNow(
          items.map(({ projectId }) => projectId),
          searcher,
        )
      : () => true;
    return new Page(
      items.flatMap(({ id, projectId }) => {
        const document = documents.get(id);
        return document && isVisible(projectId) ? [document] : [];
      }),
      next,
    );
  }

  /** Counts the documents of a project, except those in the trash. */
  async count(projectId: number): Promise<CountDto> {
    return { count: await this.documents.count(projectId) };
  }

  /** Returns all documents of a project without their texts; their number is limited. */
  async tree(projectId: number): Promise<DocumentTreeDto> {
    return toDocumentTreeDto(projectId, await this.trees.findNodes(projectId));
  }

  /** Returns a check of whether the caller can still see a project after a search, which can take long. */
  private async visibleNow(
    projectIds: readonly number[],
    searcher: AuthorizedSearcher,
  ): Promise<(projectId: number) => boolean> {
    searcher.signal.throwIfAborted();
    const caller = await searcher.authorizeAgain();
    const visible = await this.searches.findVisibleProjects(caller, [...new Set(projectIds)]);
    return (projectId) => visible.has(projectId);
  }
}
