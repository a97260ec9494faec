import { Column, Entity, Index, JoinColumn, ManyToOne, Unique } from 'typeorm';
import { BigIntColumn, LongTextColumn, PrimaryId, tableOptions, TimeColumn } from '../../database/columns';
import { User } from '../../users/entities/user.entity';
import { Issue } from './issue.entity';

/**
 * What a commit has to do with an issue that its message names: to be mentioned, or to set its status. Written with the activity of
 * the push, and settled after it; it stays, so that nothing happens twice when the commit is pushed again.
 */
@Entity('issue_commit', tableOptions)
@Unique(['issueId', 'hash', 'action'])
@Index(['userId'])
@Index(['pendingSince'])
export class IssueCommit {
  @PrimaryId()
  id: number;

  @BigIntColumn()
  issueId: number;

  @ManyToOne(() => Issue, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'issue_id' })
  issue?: Issue;

  @Column({ type: 'varchar', length: 64 })
  hash: string;

  /** 0 = mention it in a comment; otherwise the status to set, as clients know it. */
  @Column({ type: 'smallint' })
  action: number;

  /** Who has pushed it. */
  @BigIntColumn()
  userId: number;

  @ManyToOne(() => User)
  @JoinColumn({ name: 'user_id' })
  user?: User;

  /** The text of the comment; empty once it is settled. */
  @LongTextColumn()
  comment: string;

  /** Null once it is settled. */
  @TimeColumn({ nullable: true })
  pendingSince: number | null;
}
