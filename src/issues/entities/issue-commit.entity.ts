import { Column, Entity, Index, ManyToOne, Unique } from 'typeorm';
import {
  BigIntColumn,
  LongTextColumn,
  PrimaryId,
  tableOptions,
  TimeColumn,
} from '../../database/schema/columns';
import { User } from '../../users/entities/user.entity';
import { Issue } from './issue.entity';

/**
 * An action of a commit on an issue that its message names: a mention, or a change of status. Stored in the transaction that records the
 * push, and settled later. Rows are kept, so that pushing the commit again does not repeat the action.
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
  issue?: Issue;

  @Column({ type: 'varchar', length: 64 })
  hash: string;

  /** 0 for a mention in a comment; otherwise the status to set, as its id on the wire. */
  @Column({ type: 'smallint' })
  action: number;

  /** The user who pushed the commit. */
  @BigIntColumn()
  userId: number;

  @ManyToOne(() => User)
  user?: User;

  /** The key of the agent that pushed the commit for the user; null if the user did. */
  @BigIntColumn({ nullable: true })
  agentKeyId: number | null;

  /** Text of the comment; empty once settled. */
  @LongTextColumn()
  comment: string;

  /** Null once settled. */
  @TimeColumn({ nullable: true })
  pendingSince: number | null;
}
