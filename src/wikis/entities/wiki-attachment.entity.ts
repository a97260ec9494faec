import { Entity, Index, ManyToOne } from 'typeorm';
import { Attached } from '../../attachments/entities/attached.entity';
import { BigIntColumn, tableOptions } from '../../database/schema/columns';
import { Wiki } from './wiki.entity';

/** A file attached to a wiki page. */
@Entity('wiki_attachment', tableOptions)
export class WikiAttachment extends Attached {
  @Index()
  @BigIntColumn()
  wikiId: number;

  @ManyToOne(() => Wiki, { onDelete: 'CASCADE' })
  wiki?: Wiki;
}
