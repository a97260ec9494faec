import { Column, Entity, Index, JoinColumn, ManyToOne, Unique } from 'typeorm';
import { CommentThread } from '../../comments/entities/comment-thread.entity';
import {
  BigIntColumn,
  LockVersionColumn,
  LongTextColumn,
  PrimaryId,
  tableOptions,
  TimeColumn,
} from '../../database/columns';
import { Project } from '../../projects/entities/project.entity';
import { Edited } from '../../users/entities/authored.entity';

/** A document of a project (`docs/decisions/0039-documents.md`). */
@Entity('document', tableOptions)
@Unique(['uid'])
@Unique(['threadId'])
@Index(['createdUserId'])
@Index(['projectId', 'updated'])
@Index(['projectId', 'created'])
@Index(['updated'])
@Index(['created'])
export class Document extends Edited {
  @PrimaryId()
  id: number;

  /** Its id on the wire: 32 hexadecimal digits. */
  @Column({ length: 32 })
  uid: string;

  @BigIntColumn()
  projectId: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'project_id' })
  project?: Project;

  /** The thread that its comments and notifications belong to. */
  @BigIntColumn()
  threadId: number;

  @ManyToOne(() => CommentThread)
  @JoinColumn({ name: 'thread_id' })
  thread?: CommentThread;

  /** The document that it is below; null at the top. No foreign key: a tree is removed in any order. */
  @Index()
  @BigIntColumn({ nullable: true })
  parentId: number | null;

  /** From 1, at the top. */
  @Column({ type: 'smallint' })
  depth: number;

  /** Its place among those with the same parent, ascending. */
  @Column({ type: 'integer' })
  position: number;

  @Column({ length: 255 })
  title: string;

  @Column({ type: 'varchar', length: 32, nullable: true })
  emoji: string | null;

  /** What the editor shows, as its JSON. */
  @LongTextColumn()
  json: string;

  /** The same without formatting. */
  @LongTextColumn()
  plain: string;

  /** The characters of both, for lists to read a limited number at once. */
  @Column({ type: 'integer' })
  size: number;

  /** A number of `DocumentStatus`. */
  @Column({ type: 'smallint' })
  statusId: number;

  /** When it is removed for good, if it is in the trash. */
  @Index()
  @TimeColumn({ nullable: true })
  removalDue: number | null;

  @LockVersionColumn()
  lockVersion?: number;
}
