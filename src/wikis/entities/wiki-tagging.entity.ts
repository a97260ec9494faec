import { Entity, Index, ManyToOne } from 'typeorm';
import { PrimaryForeignKey, tableOptions } from '../../database/schema/columns';
import { WikiTag } from './wiki-tag.entity';
import { Wiki } from './wiki.entity';

/** The assignment of a tag to a wiki page. */
@Entity('wiki_tagging', tableOptions)
export class WikiTagging {
  @PrimaryForeignKey()
  wikiId: number;

  @ManyToOne(() => Wiki, { onDelete: 'CASCADE' })
  wiki?: Wiki;

  @Index()
  @PrimaryForeignKey()
  tagId: number;

  @ManyToOne(() => WikiTag, { onDelete: 'CASCADE' })
  tag?: WikiTag;
}
