import { Column, Entity, Index, JoinColumn, ManyToOne, Unique } from 'typeorm';
import { BigIntColumn, PrimaryId, tableOptions, TimeColumn } from '../../database/columns';
import { User } from '../../users/entities/user.entity';
import { Issue } from './issue.entity';

/** A user watches an issue: they are notified of each change by somebody else. */
@Entity('watching', tableOptions)
@Unique(['userId', 'issueId'])
@Index(['issueId'])
@Index(['projectId'])
export class Watching {
  @PrimaryId()
  id: number;

  @BigIntColumn()
  userId: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id' })
  user?: User;

  @BigIntColumn()
  issueId: number;

  @ManyToOne(() => Issue, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'issue_id' })
  issue?: Issue;

  /** The project of the issue, which never changes. */
  @BigIntColumn()
  projectId: number;

  /** What the user notes for themself; `''` where there is nothing. */
  @Column({ length: 2000 })
  note: string;

  /** The user has been shown that the issue has changed. */
  @Column({ type: 'boolean' })
  alreadyRead: boolean;

  /** The user has read the issue as it is now. */
  @Column({ type: 'boolean' })
  resourceAlreadyRead: boolean;

  @TimeColumn()
  created: number;

  /** When the note was last changed. */
  @TimeColumn()
  updated: number;
}
