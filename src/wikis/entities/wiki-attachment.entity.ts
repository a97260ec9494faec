import { Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { Attachment } from '../../attachments/entities/attachment.entity';
import { BigIntColumn, PrimaryForeignKey, tableOptions } from '../../database/columns';
import { Wiki } from './wiki.entity';

/** A file attached to a wiki page. */
@Entity('wiki_attachment', tableOptions)
export class WikiAttachment {
  @PrimaryForeignKey()
  attachmentId: number;

  @ManyToOne(() => Attachment)
  @JoinColumn({ name: 'attachment_id' })
  attachment?: Attachment;

  @Index()
  @BigIntColumn()
  wikiId: number;

  @ManyToOne(() => Wiki, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'wiki_id' })
  wiki?: Wiki;
}
