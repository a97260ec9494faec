import { PartialDto } from '../../http/request/partial-dto';
import { AddDocumentDto } from './add-document.dto';

/** Body of a request that updates a document. `parentId` moves it, also out of the trash; null is the top level. */
export class UpdateDocumentDto extends PartialDto(AddDocumentDto, {
  omit: ['projectId'],
  nullable: ['emoji', 'parentId'],
}) {}
