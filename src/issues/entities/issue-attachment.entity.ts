import { Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { Attachment } from '../../attachments/entities/attachment.entity';
import { BigIntColumn, PrimaryForeignKey, tableOptions } from '../../database/columns';
import { Issue } from './issue.entity';

/** A file attached to an issue, by a comment or otherwise. */
@Entity('issue_attachment', tableOptions)
export class IssueAttachment {
  @PrimaryForeignKey()
  attachmentId: number;

  @ManyToOne(() => Attachment)
  @JoinColumn({ name: 'attachment_id' })
  attachment?: Attachment;

  @Index()
  @BigIntColumn()
  issueId: number;

  @ManyToOne(() => Issue, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'issue_id' })
  issue?: Issue;
}
