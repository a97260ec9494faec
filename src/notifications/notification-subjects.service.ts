import { Injectable } from '@nestjs/common';
import { type Requester } from '../event-loop/user-turns';

/** The fields of a notification that show its subject. */
export type SubjectField = 'issue' | 'pullRequest' | 'document';

/** Finds resources as shown in responses, by their threads. Their visibility is checked elsewhere. */
export type FindByThreads = (
  threadIds: readonly number[],
  requester: Requester,
) => Promise<ReadonlyMap<number, object>>;

/** Finds comments as shown in responses, by id. */
export type FindComments = (
  ids: readonly number[],
  requester: Requester,
) => Promise<ReadonlyMap<number, object>>;

/** A comment on a document, or a reply to one; the other field is null. */
export interface DocumentCommentFields {
  documentComment: object | null;
  documentCommentReply: object | null;
}

/** Finds comments on documents by id. */
export type FindDocumentComments = (
  ids: readonly number[],
) => Promise<ReadonlyMap<number, DocumentCommentFields>>;

const NONE = (): Promise<ReadonlyMap<number, object>> => Promise.resolve(new Map());

/**
 * Registry of the subjects of notifications. Modules register their own resources here, so that notifications do not depend on
 * them.
 */
@Injectable()
export class NotificationSubjectsService {
  private readonly finders = new Map<SubjectField, FindByThreads>();
  private commentFinder: FindComments = NONE;
  private documentCommentFinder: FindDocumentComments = () => Promise.resolve(new Map());

  /** Registers a module's resources for a field of the notifications about them. */
  register(field: SubjectField, find: FindByThreads): void {
    this.finders.set(field, find);
  }

  /** Registers comments for the notifications about them. */
  registerComments(find: FindComments): void {
    this.commentFinder = find;
  }

  /** Registers comments on documents for the notifications about them. */
  registerDocumentComments(find: FindDocumentComments): void {
    this.documentCommentFinder = find;
  }

  /** Returns the resources that own the threads and that a field shows, by thread. */
  find(
    field: SubjectField,
    threadIds: readonly number[],
    requester: Requester,
  ): Promise<ReadonlyMap<number, object>> {
    return (this.finders.get(field) ?? NONE)(threadIds, requester);
  }

  /** Returns the comments with these ids, by id. */
  findComments(ids: readonly number[], requester: Requester): Promise<ReadonlyMap<number, object>> {
    return this.commentFinder(ids, requester);
  }

  /** Returns the comments on documents with these ids, by id. */
  findDocumentComments(ids: readonly number[]): Promise<ReadonlyMap<number, DocumentCommentFields>> {
    return this.documentCommentFinder(ids);
  }
}
