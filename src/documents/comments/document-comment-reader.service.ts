import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { groupBy } from '../../database/sql/group-by';
import { NoResourceError } from '../../errors/domain-errors';
import { buildInParts, longLists, partsOf } from '../../event-loop/long-lists';
import { type Requester } from '../../event-loop/user-turns';
import { AgentsService } from '../../users/agents.service';
import { userIdsIn } from '../../users/user-ids';
import { UsersService } from '../../users/users.service';
import { type WithoutUsers } from '../../users/without-users';
import { DocumentCommentRepository, type DocumentCommentRow } from '../data/document-comment.repository';
import { type CommentAuthors, toDocumentCommentDto, toReplyDto } from '../document.mapper';
import { type DocumentCommentDto, type DocumentCommentReplyDto } from '../dto/document-comment.dto';

/** Number of comments read at once: 3 MB at the maximum length. */
const AT_ONCE = 30;

/** A document comment or a reply to one, as notifications show it. */
export interface NotifiedComment {
  documentComment: DocumentCommentDto | null;
  documentCommentReply: DocumentCommentReplyDto | null;
}

/** Reads comments on documents. */
@Injectable()
export class DocumentCommentReaderService {
  constructor(
    private readonly comments: DocumentCommentRepository,
    private readonly users: UsersService,
    private readonly agents: AgentsService,
  ) {}

  /**
   * Returns all comments on a document with their replies, oldest first.
   * @param requester waits for their turn if the comments are many; absent for an export, which has a process of its own
   */
  async list(threadId: number, requester?: Requester): Promise<DocumentCommentDto[]> {
    const ids = await this.comments.findIds(threadId);
    return this.inTurn(ids, requester, async () => this.toDtos(await this.read(ids, requester?.signal)));
  }

  /**
   * Returns one comment with its replies. Takes no turn: a write takes it before it begins (`writeInTurn`), because its result must not be
   * refused, and a transaction holds locks.
   * @throws NoResourceError when it does not exist
   */
  async get(id: number, manager?: EntityManager): Promise<DocumentCommentDto> {
    const ids = await this.comments.findIdsWithReplies(id, manager);
    const [comment] = await this.toDtos(await this.read(ids, undefined, manager), manager);
    if (!comment) throw new NoResourceError('document comment');
    return comment;
  }

  /** Runs a write that returns this comment with its replies. If they are many, it first waits for its turn, like a list. */
  async writeInTurn<T>(id: number, requester: Requester, write: () => Promise<T>): Promise<T> {
    return this.inTurn(await this.comments.findIdsWithReplies(id), requester, write);
  }

  /** Reads comments by id without their replies, as notifications show them. */
  async readByIds(
    ids: readonly number[],
    requester: Requester,
  ): Promise<WithoutUsers<Map<number, NotifiedComment>>> {
    const rows = await this.inTurn(ids, requester, () => this.read(ids, requester.signal));
    const agentOf = await this.agents.findOf(rows);
    const build = (row: DocumentCommentRow, authors: CommentAuthors): NotifiedComment =>
      row.parentId === null
        ? { documentComment: toDocumentCommentDto(row, [], authors), documentCommentReply: null }
        : { documentComment: null, documentCommentReply: toReplyDto(row, authors) };
    return {
      userIds: userIdsIn(rows),
      build: (users) => new Map(rows.map((row) => [row.commentId, build(row, { users, agentOf })])),
    };
  }

  /** Runs work on these comments; waits for the requester's turn if they are too many to be read at once. */
  private inTurn<T>(
    ids: readonly number[],
    requester: Requester | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    return requester && ids.length > AT_ONCE ? longLists.run(requester, work) : work();
  }

  /** Reads comments by id, many in parts. */
  private async read(
    ids: readonly number[],
    signal?: AbortSignal,
    manager?: EntityManager,
  ): Promise<DocumentCommentRow[]> {
    const parts = partsOf(ids, AT_ONCE, () => 1);
    const read = (part: number[]): Promise<DocumentCommentRow[]> => this.comments.findByIds(part, manager);
    const [only = []] = parts;
    if (parts.length <= 1) return only.length === 0 ? [] : read(only);
    return buildInParts(parts, read, signal);
  }

  private async toDtos(
    rows: readonly DocumentCommentRow[],
    manager?: EntityManager,
  ): Promise<DocumentCommentDto[]> {
    const users = await this.users.findByIds(userIdsIn(rows), manager);
    const agentOf = await this.agents.findOf(rows, manager);
    const replies = groupBy(rows, (row) => row.parentId);
    return (replies.get(null) ?? []).map((row) =>
      toDocumentCommentDto(row, replies.get(row.commentId) ?? [], { users, agentOf }),
    );
  }
}
