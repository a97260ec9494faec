import { Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { Attachment } from '../../attachments/entities/attachment.entity';
import { BigIntColumn, PrimaryForeignKey, tableOptions } from '../../database/columns';
import { PullRequest } from './pull-request.entity';

/** A file attached to a pull request, by a comment or otherwise. */
@Entity('pull_request_attachment', tableOptions)
export class PullRequestAttachment {
  @PrimaryForeignKey()
  attachmentId: number;

  @ManyToOne(() => Attachment)
  @JoinColumn({ name: 'attachment_id' })
  attachment?: Attachment;

  @Index()
  @BigIntColumn()
  pullRequestId: number;

  @ManyToOne(() => PullRequest, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'pull_request_id' })
  pullRequest?: PullRequest;
}
