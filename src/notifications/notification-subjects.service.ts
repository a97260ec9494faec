import { Injectable } from '@nestjs/common';
import { type Requester } from '../event-loop/user-turns';

/** The fields of a notification that show the thing it is about. */
export type SubjectField = 'issue' | 'pullRequest' | 'document';

/** Finds things as responses show them, by the threads that they own. Who may see them is checked elsewhere. */
export type FindByThreads = (
  threadIds: readonly number[],
  requester: Requester,
) => Promise<ReadonlyMap<number, object>>;

/** Finds comments as responses show them, by their ids. */
export type FindComments = (
  ids: readonly number[],
  requester: Requester,
) => Promise<ReadonlyMap<number, object>>;

/** A comment on a document, or an answer to one; the other is null. */
export interface DocumentCommentFields {
  documentComment: object | null;
  documentCommentReply: object | null;
}

/** Finds comments on documents by their ids. */
export type FindDocumentComments = (
  ids: readonly number[],
) => Promise<ReadonlyMap<number, DocumentCommentFields>>;

const NONE = (): Promise<ReadonlyMap<number, object>> => Promise.resolve(new Map());

/** What notifications can be about. Modules register their own things here, so that notifications do not depend on them. */
@Injectable()
export class NotificationSubjectsService {
  private readonly finders = new Map<SubjectField, FindByThreads>();
  private commentFinder: FindComments = NONE;
  private documentCommentFinder: FindDocumentComments = () => Promise.resolve(new Map());

  /** Has a module's things shown in a field of the notifications about them. */
  register(field: SubjectField, find: FindByThreads): void {
    this.finders.set(field, find);
  }

  /** Has comments shown in the notifications of them. */
  registerComments(find: FindComments): void {
    this.commentFinder = find;
  }

  /** Has comments on documents shown in the notifications of them. */
  registerDocumentComments(find: FindDocumentComments): void {
    this.documentCommentFinder = find;
  }

  /** The things that the threads belong to and that a field shows, by thread. */
  find(
    field: SubjectField,
    threadIds: readonly number[],
    requester: Requester,
  ): Promise<ReadonlyMap<number, object>> {
    return (this.finders.get(field) ?? NONE)(threadIds, requester);
  }

  /** The comments with these ids, by id. */
  findComments(ids: readonly number[], requester: Requester): Promise<ReadonlyMap<number, object>> {
    return this.commentFinder(ids, requester);
  }

  /** The comments on documents with these ids, by id. */
  findDocumentComments(ids: readonly number[]): Promise<ReadonlyMap<number, DocumentCommentFields>> {
    return this.documentCommentFinder(ids);
  }
}
