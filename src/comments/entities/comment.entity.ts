import { Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import {
  BigIntColumn,
  JsonColumn,
  LongTextColumn,
  PrimaryId,
  tableOptions,
  TimeColumn,
} from '../../database/columns';
import { User } from '../../users/entities/user.entity';
import { type ChangeLogEntry } from '../change-log';
import { CommentThread } from './comment-thread.entity';

/** A comment on an issue or a pull request (spec, section 2.3). */
@Entity('comment', tableOptions)
@Index(['threadId', 'id'])
@Index(['createdUserId', 'threadId'])
export class Comment {
  @PrimaryId()
  id: number;

  @BigIntColumn()
  threadId: number;

  @ManyToOne(() => CommentThread, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'thread_id' })
  thread?: CommentThread;

  @LongTextColumn()
  content: string;

  /** Frozen as it was shown: a value object, never searched by. */
  @JsonColumn()
  changeLog: ChangeLogEntry[];

  @BigIntColumn()
  createdUserId: number;

  @ManyToOne(() => User)
  @JoinColumn({ name: 'created_user_id' })
  createdUser?: User;

  @TimeColumn()
  created: number;

  @TimeColumn()
  updated: number;
}
