import { IdListField } from '../../http/request/fields';

/** Body of a request that attaches files to a wiki page (`docs/protocol.md#attach-files-to-a-wiki-page`). */
export class AttachFilesToWikiDto {
  @IdListField({ description: "The caller's uploads to attach to the page.", min: 1, example: [1] })
  attachmentId: number[];
}
