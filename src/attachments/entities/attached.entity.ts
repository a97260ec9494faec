import { ManyToOne } from 'typeorm';
import { PrimaryForeignKey } from '../../database/schema/columns';
import { Attachment } from './attachment.entity';

/** The common columns of the tables of all `AttachmentLink`s, which link files to their owners. */
export abstract class Attached {
  @PrimaryForeignKey()
  attachmentId: number;

  @ManyToOne(() => Attachment)
  attachment?: Attachment;
}
