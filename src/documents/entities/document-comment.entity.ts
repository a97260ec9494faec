import { Column, Entity, Index, JoinColumn, ManyToOne, Unique } from 'typeorm';
import { Comment } from '../../comments/entities/comment.entity';
import { BigIntColumn, LongTextColumn, PrimaryForeignKey, tableOptions } from '../../database/columns';

/** What a comment on a document has besides other comments: its id on the wire, the comment that it answers, formatting. */
@Entity('document_comment', tableOptions)
@Unique(['uid'])
export class DocumentComment {
  @PrimaryForeignKey()
  commentId: number;

  @ManyToOne(() => Comment, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'comment_id' })
  comment?: Comment;

  @Column({ length: 32 })
  uid: string;

  /** The comment that it answers; null when it answers none. No foreign key: a thread is removed in any order. */
  @Index()
  @BigIntColumn({ nullable: true })
  parentId: number | null;

  /** What the editor shows, as its JSON; the comment's own content is the same without formatting. */
  @LongTextColumn()
  json: string;
}
