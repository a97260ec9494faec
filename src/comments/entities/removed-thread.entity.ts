import { Entity, ManyToOne } from 'typeorm';
import { PrimaryForeignKey, tableOptions } from '../../database/schema/columns';
import { CommentThread } from './comment-thread.entity';

/** A thread whose owner no longer exists and whose contents are still being removed. */
@Entity('removed_thread', tableOptions)
export class RemovedThread {
  @PrimaryForeignKey()
  threadId: number;

  @ManyToOne(() => CommentThread, { onDelete: 'CASCADE' })
  thread?: CommentThread;
}
