import { Column, Entity, Index, ManyToOne, Unique } from 'typeorm';
import { Comment } from '../../comments/entities/comment.entity';
import { BigIntColumn, LongTextColumn, PrimaryForeignKey, tableOptions } from '../../database/schema/columns';

/** The additional fields of a comment on a document: its id on the wire, the comment that it replies to, and its formatting. */
@Entity('document_comment', tableOptions)
@Unique(['uid'])
export class DocumentComment {
  @PrimaryForeignKey()
  commentId: number;

  @ManyToOne(() => Comment, { onDelete: 'CASCADE' })
  comment?: Comment;

  @Column({ length: 32 })
  uid: string;

  /** The comment that this one replies to; null if it is not a reply. No foreign key, because a thread is removed in any order. */
  @Index()
  @BigIntColumn({ nullable: true })
  parentId: number | null;

  /** The editor's document as JSON; the comment's own content is the same text without formatting. */
  @LongTextColumn()
  json: string;
}
