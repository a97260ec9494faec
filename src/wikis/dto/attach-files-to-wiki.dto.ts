import { IdListField } from '../../http/fields';

/** Body of 4.7. */
export class AttachFilesToWikiDto {
  @IdListField({ description: "The caller's uploads to attach to the page.", min: 1, example: [1] })
  attachmentId: number[];
}
