import { Entity, Index, ManyToOne } from 'typeorm';
import {
  BigIntColumn,
  JsonColumn,
  LockVersionColumn,
  LongTextColumn,
  PrimaryId,
  tableOptions,
  TimeColumn,
} from '../../database/schema/columns';
import { Authored } from '../../users/entities/authored.entity';
import { type ChangeLogEntry, isChangeLog } from '../change-log';
import { CommentThread } from './comment-thread.entity';

/** A comment on an issue, pull request or document (`docs/protocol.md#comment`). */
@Entity('comment', tableOptions)
@Index(['threadId', 'id'])
@Index(['createdUserId', 'threadId'])
export class Comment extends Authored {
  @PrimaryId()
  id: number;

  @BigIntColumn()
  threadId: number;

  @ManyToOne(() => CommentThread, { onDelete: 'CASCADE' })
  thread?: CommentThread;

  @LongTextColumn()
  content: string;

  /** The display texts at the time of the comment; never searched. */
  @JsonColumn({ hasShape: isChangeLog })
  changeLog: ChangeLogEntry[];

  @TimeColumn()
  updated: number;

  /** The key of the agent that wrote the comment for its author; null if the author did. Not a foreign key: the key may be revoked. */
  @BigIntColumn({ nullable: true })
  agentKeyId: number | null;

  @LockVersionColumn()
  lockVersion?: number;
}
