import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type AuditedCaller, type Caller } from '../access/caller';
import { ActivitiesService } from '../activities/activities.service';
import { ActivityType } from '../activities/activity-type';
import { AuditLogService } from '../audit-log/audit-log.service';
import { CommentsService } from '../comments/comments.service';
import { invalidIfDeleted } from '../database/connections/database-errors';
import { TransactionsService } from '../database/transactions/transactions.service';
import { InvalidRequestError, NoResourceError } from '../errors/domain-errors';
import { NotificationReason } from '../notifications/notification-reason';
import { NotificationsService } from '../notifications/notifications.service';
import { ProjectCountersService } from '../projects/project-counters.service';
import { ProjectPeopleService } from '../projects/project-people.service';
import { ProjectsService } from '../projects/projects.service';
import { SearchIndexService } from '../search-index/search-index.service';
import { SearchKind } from '../search-index/search-kind';
import { type UserDto } from '../users/dto/user.dto';
import { DocumentRepository, type DocumentState } from './data/document.repository';
import { DocumentReaderService } from './document-reader.service';
import { documentSize } from './document-size';
import { DocumentStatus } from './document-status';
import { type DocumentResource } from './document-resource';
import { documentPath } from './document.mapper';
import { type AddDocumentDto } from './dto/add-document.dto';
import { type DocumentDto } from './dto/document.dto';
import { type UpdateDocumentDto } from './dto/update-document.dto';
import { EditorTextService, MAX_DOCUMENT_JSON } from './editor/editor-text.service';
import { type EditorText } from './editor/markdown';
import { type Document } from './entities/document.entity';
import { TrashRemovalService } from './trash-removal.service';
import { type Destination, DocumentTreeService } from './tree/document-tree.service';
import { newUid } from './uid';

/** A document to add. */
export interface NewDocument extends Pick<Document, 'projectId' | 'title' | 'emoji' | 'createdUserId'> {
  /** Its id on the wire, if it must have a given one. */
  uid?: string;
  text: EditorText;
  destination?: Destination;
}

/** The ids of a document that has been added. */
type AddedDocument = Pick<Document, 'id' | 'uid' | 'threadId'>;

const AT_TOP: Destination = { parentUid: null, last: false };

/** Adds, updates and deletes documents. */
@Injectable()
export class DocumentsService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly documents: DocumentRepository,
    private readonly reader: DocumentReaderService,
    private readonly texts: EditorTextService,
    private readonly tree: DocumentTreeService,
    private readonly trash: TrashRemovalService,
    private readonly counters: ProjectCountersService,
    private readonly projects: ProjectsService,
    private readonly people: ProjectPeopleService,
    private readonly comments: CommentsService,
    private readonly notifications: NotificationsService,
    private readonly activities: ActivitiesService,
    private readonly auditLog: AuditLogService,
    private readonly index: SearchIndexService,
  ) {}

  /**
   * Returns one document.
   * @throws NoResourceError when it does not exist
   */
  get(document: DocumentResource): Promise<DocumentDto> {
    return this.reader.get(document.id);
  }

  /**
   * Adds a document, notifies the users that it mentions, and records activity 36.
   * @returns the document, and its path in the web interface
   * @throws InvalidRequestError for a project, parent or text that cannot be used, ResourceOverflowError when the project has too many
   *   documents
   */
  async create(caller: Caller, body: AddDocumentDto): Promise<{ document: DocumentDto; path: string }> {
    const { projectId, title, emoji, content, parentId, addLast } = body;
    const { projectKey } = await this.projects.getUsable(caller, projectId, 'projectId');
    const text = await this.texts.convert(content, MAX_DOCUMENT_JSON, caller.id);
    const mentioned = await this.mentionedIn(projectId, caller, text);
    const work = this.transactions.run(async (manager) => {
      const added = await this.add(manager, {
        projectId,
        title,
        emoji: emoji === '' ? null : emoji,
        text,
        createdUserId: caller.id,
        destination: { parentUid: parentId, last: addLast },
      });
      const { uid, threadId } = added;
      await this.notifyMentioned(manager, { projectId, threadId }, caller, mentioned);
      await this.record(manager, { projectId, uid }, caller, ActivityType.DocumentCreated, title);
      return added;
    });
    const { id, uid } = await invalidIfDeleted(work, 'projectId', `There is no project ${projectId}.`);
    return { document: await this.reader.get(id), path: documentPath(projectKey, uid) };
  }

  /** Adds a document; notifies no users and emits no event. */
  async add(manager: EntityManager, document: NewDocument): Promise<AddedDocument> {
    const { projectId, title, emoji, createdUserId, text, destination = AT_TOP, uid = newUid() } = document;
    await this.tree.lock(manager, projectId);
    await this.counters.take(manager, projectId, 'document');
    const place = await this.tree.placeOf(manager, projectId, destination);
    const threadId = await this.comments.addThread(manager, projectId);
    const created = Date.now();
    const id = await this.documents.insert(manager, {
      ...place,
      uid,
      projectId,
      threadId,
      title,
      emoji,
      ...columnsOfText(text),
      statusId: DocumentStatus.Active,
      removalDue: null,
      createdUserId,
      created,
      updatedUserId: createdUserId,
      updated: created,
    });
    await this.index.noteNew(manager, SearchKind.Document, id);
    return { id, uid, threadId };
  }

  /**
   * Updates and moves a document, notifies the users that it did not mention before, and records activity 38 for a new title, 39 for other
   * changes.
   * @throws InvalidRequestError for a parent or text that cannot be used, NoResourceError for a document in the trash that does not move
   *   out of it
   */
  async update(document: DocumentResource, caller: Caller, changes: UpdateDocumentDto): Promise<DocumentDto> {
    const { id, projectId, uid, threadId } = document;
    const { content, parentId, addLast } = changes;
    if (addLast !== undefined && parentId === undefined) {
      throw InvalidRequestError.of('addLast', 'addLast requires parentId.');
    }
    const text =
      content === undefined ? undefined : await this.texts.convert(content, MAX_DOCUMENT_JSON, caller.id);
    const mentioned = text ? await this.mentionedIn(projectId, caller, text) : [];
    await this.transactions.run(async (manager) => {
      // All locks precede the first read, which would otherwise see an older state.
      if (parentId !== undefined) await this.tree.lock(manager, projectId);
      const before =
        parentId === undefined ? await this.lockActive(manager, id) : await this.documents.lock(manager, id);
      if (parentId !== undefined) {
        await this.tree.move(manager, document, { parentUid: parentId, last: addLast ?? false });
      }
      const { title = before.title } = changes;
      const emoji = changes.emoji === undefined ? before.emoji : changes.emoji === '' ? null : changes.emoji;
      const isRenamed = title !== before.title;
      const isChanged =
        parentId !== undefined || emoji !== before.emoji || (text !== undefined && text.json !== before.json);
      if (!isRenamed && !isChanged) return;
      await this.documents.update(manager, id, {
        title,
        emoji,
        ...(text && columnsOfText(text)),
        updatedUserId: caller.id,
        updated: Date.now(),
      });
      await this.index.noteChange(manager, SearchKind.Document, id);
      const newlyMentioned = await this.excludeMentioned(manager, projectId, caller, mentioned, before.plain);
      await this.notifyMentioned(manager, { projectId, threadId }, caller, newlyMentioned);
      const record = (type: ChangeType): Promise<void> =>
        this.record(manager, { projectId, uid }, caller, type, title);
      if (isRenamed) await record(ActivityType.DocumentTitleUpdated);
      if (isChanged) await record(ActivityType.DocumentUpdated);
    });
    return this.reader.get(id);
  }

  /**
   * Moves a document and its descendants to the trash, and records activity 37, or deletes a document that is already there. Returns its
   * last state.
   * @throws NoResourceError when a concurrent request has deleted it
   */
  async delete(document: DocumentResource, caller: AuditedCaller): Promise<DocumentDto> {
    const { id, projectId, uid } = document;
    return this.transactions.run(async (manager) => {
      await this.tree.lock(manager, projectId);
      const deleted = await this.reader.get(id, manager);
      const wasTrashed = await this.tree.delete(manager, document);
      if (wasTrashed) this.transactions.afterCommit(manager, () => this.trash.start());
      else {
        await this.record(manager, { projectId, uid }, caller, ActivityType.DocumentDeleted, deleted.title);
      }
      await this.auditLog.record(manager, caller, {
        action: 'document.delete',
        subject: { id, name: deleted.title },
        projectId,
      });
      return deleted;
    });
  }

  /**
   * Locks a document that is not in the trash.
   * @throws NoResourceError when it is in the trash or no longer exists
   */
  async lockActive(manager: EntityManager, id: number): Promise<DocumentState> {
    const state = await this.documents.lock(manager, id);
    if (state.statusId !== (DocumentStatus.Active as number)) throw new NoResourceError('document');
    return state;
  }

  /** Returns the users whom a text mentions to its readers: only `plain` can be compared with what is stored. */
  private async mentionedIn(
    projectId: number,
    caller: Caller,
    { plain }: Pick<EditorText, 'plain'>,
  ): Promise<UserDto[]> {
    if (!plain.includes('<@')) return [];
    return (await this.people.peopleOf(projectId, caller, {}, { text: plain })).notified;
  }

  /** Returns the users whom an earlier text does not mention. */
  private async excludeMentioned(
    manager: EntityManager,
    projectId: number,
    caller: Caller,
    users: readonly UserDto[],
    text: string,
  ): Promise<readonly UserDto[]> {
    if (users.length === 0) return users;
    const earlier = new Set(await this.people.mentionedIds(projectId, caller.id, text, manager));
    return users.filter(({ id }) => !earlier.has(id));
  }

  private notifyMentioned(
    manager: EntityManager,
    { projectId, threadId }: Pick<Document, 'projectId' | 'threadId'>,
    caller: Caller,
    users: readonly UserDto[],
  ): Promise<void> {
    return this.notifications.add(
      manager,
      users.map((user) => user.id),
      { projectId, threadId, senderId: caller.id, reason: NotificationReason.MentionedInDocument },
    );
  }

  private record(
    manager: EntityManager,
    { projectId, uid }: Pick<Document, 'projectId' | 'uid'>,
    caller: Caller,
    type: ChangeType,
    title: string,
  ): Promise<void> {
    return this.activities.record(manager, {
      projectId,
      type,
      content: { id: uid, title },
      author: caller,
    });
  }
}

type ChangeType =
  | ActivityType.DocumentCreated
  | ActivityType.DocumentDeleted
  | ActivityType.DocumentTitleUpdated
  | ActivityType.DocumentUpdated;

const columnsOfText = ({ json, plain }: EditorText): Pick<Document, 'json' | 'plain' | 'size'> => ({
  json,
  plain,
  size: documentSize({ json, plain }),
});
