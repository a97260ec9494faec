import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { groupBy } from '../../database/sql/group-by';
import { NoResourceError } from '../../errors/domain-errors';
import { loopTurns } from '../../event-loop/loop-turns';
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

  /** Returns all comments on a document with their replies, oldest first. */
  async list(threadId: number): Promise<DocumentCommentDto[]> {
    const ids = await this.comments.findIds(threadId);
    const rows: DocumentCommentRow[] = [];
    for (let start = 0; start < ids.length; start += AT_ONCE) {
      if (start > 0) await loopTurns.nextSlice();
      rows.push(...(await this.comments.findByIds(ids.slice(start, start + AT_ONCE))));
    }
    return this.toDtos(rows);
  }

  /**
   * Returns one comment with its replies.
   * @throws NoResourceError when it does not exist
   */
  async get(id: number, manager?: EntityManager): Promise<DocumentCommentDto> {
    const [comment] = await this.toDtos(await this.comments.findWithReplies(id, manager), manager);
    if (!comment) throw new NoResourceError('document comment');
    return comment;
  }

  /** Reads comments by id without their replies, as notifications show them. */
  async readByIds(ids: readonly number[]): Promise<WithoutUsers<Map<number, NotifiedComment>>> {
    const rows = ids.length === 0 ? [] : await this.comments.findByIds(ids);
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
