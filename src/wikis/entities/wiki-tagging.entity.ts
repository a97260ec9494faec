import { Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { PrimaryForeignKey, tableOptions } from '../../database/schema/columns';
import { WikiTag } from './wiki-tag.entity';
import { Wiki } from './wiki.entity';

/** The assignment of a tag to a wiki page. */
@Entity('wiki_tagging', tableOptions)
export class WikiTagging {
  @PrimaryForeignKey()
  wikiId: number;

  @ManyToOne(() => Wiki, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'wiki_id' })
  wiki?: Wiki;

  @Index()
  @PrimaryForeignKey()
  tagId: number;

  @ManyToOne(() => WikiTag, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'tag_id' })
  tag?: WikiTag;
}
