import { Entity, Index, ManyToOne } from 'typeorm';
import { Attached } from '../../attachments/entities/attached.entity';
import { BigIntColumn, tableOptions } from '../../database/schema/columns';
import { Issue } from './issue.entity';

/** A file attached to an issue, directly or by a comment. */
@Entity('issue_attachment', tableOptions)
export class IssueAttachment extends Attached {
  @Index()
  @BigIntColumn()
  issueId: number;

  @ManyToOne(() => Issue, { onDelete: 'CASCADE' })
  issue?: Issue;
}
