import { Entity, Index, ManyToOne } from 'typeorm';
import { PrimaryForeignKey, tableOptions, TimeColumn } from '../../database/schema/columns';
import { Issue } from './issue.entity';

/** A relation between two issues: one row for both directions, with the smaller id first. */
@Entity('related_issue', tableOptions)
export class RelatedIssue {
  @PrimaryForeignKey()
  firstIssueId: number;

  @ManyToOne(() => Issue, { onDelete: 'CASCADE' })
  firstIssue?: Issue;

  @Index()
  @PrimaryForeignKey()
  secondIssueId: number;

  @ManyToOne(() => Issue, { onDelete: 'CASCADE' })
  secondIssue?: Issue;

  @TimeColumn()
  created: number;
}
