import { Column, Entity, Index, ManyToOne, Unique } from 'typeorm';
import { BigIntColumn, PrimaryId, tableOptions, TimeColumn } from '../../database/schema/columns';
import { User } from '../../users/entities/user.entity';
import { Issue } from './issue.entity';

/** A user's watching of an issue. The user is notified of each change by another user. */
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
  user?: User;

  @BigIntColumn()
  issueId: number;

  @ManyToOne(() => Issue, { onDelete: 'CASCADE' })
  issue?: Issue;

  /** The project of the issue, which never changes. */
  @BigIntColumn()
  projectId: number;

  /** The user's private note; `''` for none. */
  @Column({ length: 2000 })
  note: string;

  /** Whether the user has seen that the issue changed. */
  @Column({ type: 'boolean' })
  alreadyRead: boolean;

  /** Whether the user has read the current state of the issue. */
  @Column({ type: 'boolean' })
  resourceAlreadyRead: boolean;

  @TimeColumn()
  created: number;

  /** Time of the last change of the note. */
  @TimeColumn()
  updated: number;
}
