import { Injectable } from '@nestjs/common';
import { type AccessResource, type PathParameters, type ResourceLoader } from '../../access/access';
import { type Caller } from '../../access/caller';
import { NoResourceError } from '../../errors/domain-errors';
import { DocumentCommentRepository } from '../data/document-comment.repository';
import { DocumentLoader } from '../document.loader';
import { type DocumentResource } from '../document-resource';
import { UID } from '../uid';

/** A comment or reply that the path identifies, with its document. */
export interface DocumentCommentResource extends AccessResource {
  commentId: number;
  /** The comment that this one replies to; null if it is not a reply. */
  parentId: number | null;
  uid: string;
  document: DocumentResource;
}

/** Loads the comment of `/documents/{documentId}/comments/{documentCommentId}`. */
@Injectable()
export class DocumentCommentLoader implements ResourceLoader<DocumentCommentResource> {
  constructor(
    private readonly documents: DocumentLoader,
    private readonly comments: DocumentCommentRepository,
  ) {}

  async load(parameters: PathParameters, caller: Caller): Promise<DocumentCommentResource> {
    const document = await this.documents.load(parameters, caller);
    const uid = (parameters.documentCommentId ?? '').toLowerCase();
    const found = UID.test(uid) ? await this.comments.findKeys(document.threadId, uid) : undefined;
    if (!found) throw new NoResourceError('document comment');
    return { ...found, document, isProjectAdministrator: document.isProjectAdministrator };
  }
}
