import { type AttachedFileDto } from '../attachments/dto/attached-file.dto';
import { toTimestamp } from '../http/request/timestamp';
import { type AgentFinder } from '../users/agents.service';
import { type UserDto } from '../users/dto/user.dto';
import { type DocumentCommentRow } from './data/document-comment.repository';
import { type NodeRow } from './data/document-tree.repository';
import { type DocumentRow } from './data/document.repository';
import { DocumentStatus } from './document-status';
import { type DocumentCommentDto, type DocumentCommentReplyDto } from './dto/document-comment.dto';
import { type DocumentTagDto } from './dto/document-tags.dto';
import { type DocumentNodeDto, type DocumentTreeDto } from './dto/document-tree.dto';
import { type DocumentDto } from './dto/document.dto';

/** The parts of a document's response that are not in its row. */
export interface DocumentParts {
  attachments: AttachedFileDto[];
  tags: DocumentTagDto[];
  children: string[];
  users: ReadonlyMap<number, UserDto>;
}

/** Returns the path of a document in the web interface. */
export const documentPath = (projectKey: string, uid: string): string => `/document/${projectKey}/${uid}`;

/** Converts a document to its wire format. */
export const toDocumentDto = (
  row: DocumentRow,
  { attachments, tags, children, users }: DocumentParts,
): DocumentDto => ({
  id: row.uid,
  projectId: row.projectId,
  title: row.title,
  plain: row.plain,
  json: row.json,
  statusId: row.statusId,
  emoji: row.emoji,
  attachments,
  tags,
  createdUser: userOf(users, row.createdUserId),
  created: toTimestamp(row.created),
  updatedUser: userOf(users, row.updatedUserId),
  updated: toTimestamp(row.updated),
  childDocumentIds: children,
});

/**
 * Converts the documents of a project to their tree. Trashed documents whose parent is not in the trash are at the top of the trash tree.
 */
export function toDocumentTreeDto(projectId: number, rows: readonly NodeRow[]): DocumentTreeDto {
  const nodes = new Map(rows.map((row) => [row.id, { row, dto: toNodeDto(row) }]));
  const active: DocumentNodeDto[] = [];
  const trashed: DocumentNodeDto[] = [];
  for (const { row, dto } of nodes.values()) {
    const isActive = row.statusId === (DocumentStatus.Active as number);
    const parent = row.parentId === null ? undefined : nodes.get(row.parentId);
    if (parent?.row.statusId === row.statusId) parent.dto.children.push(dto);
    else (isActive ? active : trashed).push(dto);
  }
  return {
    projectId,
    activeTree: { id: 'Active', children: active },
    trashTree: { id: 'Trash', children: trashed },
  };
}

const toNodeDto = (row: NodeRow): DocumentNodeDto => ({
  id: row.uid,
  name: row.title,
  children: [],
  statusId: row.statusId,
  emoji: row.emoji ?? '',
  emojiType: row.emoji === null ? '' : 'unicode',
  updated: toTimestamp(row.updated),
});

/** The users and agents that have written comments. */
export interface CommentAuthors {
  users: ReadonlyMap<number, UserDto>;
  agentOf: AgentFinder;
}

/** Converts a reply to a comment to its wire format. */
export function toReplyDto(
  row: DocumentCommentRow,
  { users, agentOf }: CommentAuthors,
): DocumentCommentReplyDto {
  const agent = agentOf(row);
  return {
    id: row.uid,
    documentId: row.documentUid,
    commentId: row.parentUid ?? '',
    content: row.json,
    plain: row.plain,
    createdUserId: row.createdUserId,
    created: toTimestamp(row.created),
    // Only its author can change it.
    updatedUserId: row.createdUserId,
    updated: toTimestamp(row.updated),
    createdUser: userOf(users, row.createdUserId),
    ...(agent && { agent }),
  };
}

/** Converts a comment to its wire format. */
export function toDocumentCommentDto(
  row: DocumentCommentRow,
  replies: readonly DocumentCommentRow[],
  authors: CommentAuthors,
): DocumentCommentDto {
  const { commentId: _, ...common } = toReplyDto(row, authors);
  return {
    ...common,
    statusId: 0,
    commentType: 'comment',
    replies: replies.map((reply) => toReplyDto(reply, authors)),
  };
}

/** Returns a user, who exists because of a foreign key. */
const userOf = (users: ReadonlyMap<number, UserDto>, id: number): UserDto => users.get(id) as UserDto;
