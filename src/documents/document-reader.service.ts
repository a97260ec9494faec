import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { toAttachedFileDto } from '../attachments/attached-file.mapper';
import { attachedFiles } from '../attachments/data/attachment-link.repository';
import { groupBy } from '../database/sql/group-by';
import { selectTogether } from '../database/sql/select-together';
import { NoResourceError } from '../errors/domain-errors';
import { buildInParts, longLists, partsOf } from '../event-loop/long-lists';
import { type Requester } from '../event-loop/user-turns';
import { UsersService } from '../users/users.service';
import { userIdsIn } from '../users/user-ids';
import { DOCUMENT_FILES } from './attachments/document-files';
import { DocumentTagRepository } from './data/document-tag.repository';
import { DocumentRepository } from './data/document.repository';
import { toDocumentDto } from './document.mapper';
import { type DocumentDto } from './dto/document.dto';

/** A document to read, with its number of characters. */
interface SizedDocument {
  id: number;
  size: number;
}

/** Maximum number of characters read at once, unless one document has more. */
const MAX_SIZE_AT_ONCE = 2_000_000;
/** Number of documents read at once for an export. */
const EXPORTED_AT_ONCE = 10;

/** Reads documents with everything that responses show. */
@Injectable()
export class DocumentReaderService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly documents: DocumentRepository,
    private readonly tags: DocumentTagRepository,
    private readonly users: UsersService,
  ) {}

  /**
   * Returns one document.
   * @throws NoResourceError when it does not exist
   */
  async get(id: number, manager?: EntityManager): Promise<DocumentDto> {
    const document = (await this.read([id], manager)).get(id);
    if (!document) throw new NoResourceError('document');
    return document;
  }

  /** Returns documents by id; reads very long ones in parts. Documents that no longer exist are absent. */
  async findSized(
    documents: readonly SizedDocument[],
    requester: Requester,
  ): Promise<Map<number, DocumentDto>> {
    const parts = partsOf(documents, MAX_SIZE_AT_ONCE, ({ size }) => size);
    if (parts.length <= 1) return this.read(idsOf(documents));
    const read = async (part: SizedDocument[]): Promise<[number, DocumentDto][]> => [
      ...(await this.read(idsOf(part))),
    ];
    return new Map(await longLists.run(requester, () => buildInParts(parts, read, requester.signal)));
  }

  /** Returns the documents that own threads, by thread id, except those being removed. */
  async findByThreads(threadIds: readonly number[], requester: Requester): Promise<Map<number, DocumentDto>> {
    if (threadIds.length === 0) return new Map();
    const rows = await this.documents.findIdsByThreads(threadIds);
    const documents = await this.findSized(rows, requester);
    return new Map(
      rows.flatMap(({ id, threadId }) => {
        const document = documents.get(id);
        return document ? [[threadId, document]] : [];
      }),
    );
  }

  /** Yields all documents of a project, oldest first, including those in the trash. Reads a few at a time. */
  async *eachOfProject(projectId: number): AsyncGenerator<{ threadId: number; document: DocumentDto }> {
    for (let after = 0; ;) {
      const rows = await this.documents.findSomeAfter(projectId, after, EXPORTED_AT_ONCE);
      const last = rows.at(-1);
      if (!last) return;
      const documents = await this.read(rows.map(({ id }) => id));
      for (const { id, threadId } of rows) {
        const document = documents.get(id);
        if (document) yield { threadId, document };
      }
      after = last.id;
    }
  }

  /** Reads documents in a constant number of statements. */
  private async read(ids: readonly number[], manager?: EntityManager): Promise<Map<number, DocumentDto>> {
    if (ids.length === 0) return new Map();
    const rows = await this.documents.findByIds(ids, manager);
    const selected = { files: attachedFiles(DOCUMENT_FILES, ids) };
    const { files } = await selectTogether(manager ?? this.dataSource, selected);
    const attachments = groupBy(files, (file) => file.ownerId);
    const tags = groupBy(await this.tags.findOfDocuments(ids, manager), (tag) => tag.documentId);
    const children = groupBy(await this.documents.findChildren(ids, manager), (child) => child.parentId);
    const users = await this.users.findByIds(userIdsIn(rows, files), manager);
    return new Map(
      rows.map((row) => [
        row.id,
        toDocumentDto(row, {
          attachments: (attachments.get(row.id) ?? []).map((file) => toAttachedFileDto(file, users)),
          tags: (tags.get(row.id) ?? []).map(({ id, name }) => ({ id, name })),
          children: (children.get(row.id) ?? []).map(({ uid }) => uid),
          users,
        }),
      ]),
    );
  }
}

const idsOf = (documents: readonly SizedDocument[]): number[] => documents.map(({ id }) => id);
