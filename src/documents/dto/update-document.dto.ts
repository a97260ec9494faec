import { PartialDto } from '../../http/request/partial-dto';
import { AddDocumentDto } from './add-document.dto';

/** Changes of a document. With `parentId` it moves there, out of the trash if it is in it; null is the top. */
export class UpdateDocumentDto extends PartialDto(AddDocumentDto, {
  omit: ['projectId'],
  nullable: ['emoji', 'parentId'],
}) {}
