import { IdListField } from '../../http/request/fields';

/** Body of a request that attaches files to a document. */
export class AttachFilesToDocumentDto {
  @IdListField({ description: "The caller's uploads to attach to the document.", min: 1, example: [1] })
  attachmentId: number[];
}
