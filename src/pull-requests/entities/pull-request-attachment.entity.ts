import { Entity, Index, ManyToOne } from 'typeorm';
import { Attached } from '../../attachments/entities/attached.entity';
import { BigIntColumn, tableOptions } from '../../database/schema/columns';
import { PullRequest } from './pull-request.entity';

/** A file attached to a pull request, by a comment or otherwise. */
@Entity('pull_request_attachment', tableOptions)
export class PullRequestAttachment extends Attached {
  @Index()
  @BigIntColumn()
  pullRequestId: number;

  @ManyToOne(() => PullRequest, { onDelete: 'CASCADE' })
  pullRequest?: PullRequest;
}
