import { Column, Entity, Index, ManyToOne, Unique } from 'typeorm';
import { CommentThread } from '../../comments/entities/comment-thread.entity';
import {
  BigIntColumn,
  EnumColumn,
  LockVersionColumn,
  LongTextColumn,
  PrimaryId,
  tableOptions,
  TimeColumn,
} from '../../database/schema/columns';
import { DocumentStatus } from '../document-status';
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

  /** Id on the wire: 32 hexadecimal digits. */
  @Column({ length: 32 })
  uid: string;

  @BigIntColumn()
  projectId: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE' })
  project?: Project;

  /** The thread of its comments and notifications. */
  @BigIntColumn()
  threadId: number;

  @ManyToOne(() => CommentThread)
  thread?: CommentThread;

  /** The parent document; null at the top level. No foreign key, because a tree is removed in any order. */
  @Index()
  @BigIntColumn({ nullable: true })
  parentId: number | null;

  /** Level in the tree, from 1 at the top. */
  @Column({ type: 'smallint' })
  depth: number;

  /** Position among the documents with the same parent, ascending. */
  @Column({ type: 'integer' })
  position: number;

  @Column({ length: 255 })
  title: string;

  @Column({ type: 'varchar', length: 32, nullable: true })
  emoji: string | null;

  /** The editor's document as JSON. */
  @LongTextColumn()
  json: string;

  /** The text without formatting. */
  @LongTextColumn()
  plain: string;

  /** Number of characters of `json` and `plain`, so that lists can limit how much they read at once. */
  @Column({ type: 'integer' })
  size: number;

  /** A value of `DocumentStatus`. */
  @EnumColumn(DocumentStatus)
  statusId: number;

  /** Time of permanent removal; null for a document that is not in the trash. */
  @Index()
  @TimeColumn({ nullable: true })
  removalDue: number | null;

  @LockVersionColumn()
  lockVersion?: number;
}
