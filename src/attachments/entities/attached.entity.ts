import { JoinColumn, ManyToOne } from 'typeorm';
import { PrimaryForeignKey } from '../../database/columns';
import { Attachment } from './attachment.entity';

/** A file that is attached to something: what the tables of each `AttachmentLink` have in common. */
export abstract class Attached {
  @PrimaryForeignKey()
  attachmentId: number;

  @ManyToOne(() => Attachment)
  @JoinColumn({ name: 'attachment_id' })
  attachment?: Attachment;
}
