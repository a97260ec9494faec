import { Injectable } from '@nestjs/common';
import { type PathParameters, type ResourceLoader } from '../access/access';
import { type Caller } from '../access/caller';
import { NoResourceError } from '../errors/domain-errors';
import { DocumentRepository } from './data/document.repository';
import { type DocumentResource } from './document-resource';
import { UID } from './uid';

/** Loads the document of `/documents/{documentId}/…`, if the caller can see its project. */
@Injectable()
export class DocumentLoader implements ResourceLoader<DocumentResource> {
  constructor(private readonly documents: DocumentRepository) {}

  async load({ documentId = '' }: PathParameters, caller: Caller): Promise<DocumentResource> {
    const uid = documentId.toLowerCase();
    const found = UID.test(uid) ? await this.documents.findVisible(caller, uid) : undefined;
    if (!found) throw new NoResourceError('document');
    return found;
  }
}
