import { Entity, Index, ManyToOne } from 'typeorm';
import { PrimaryForeignKey, tableOptions } from '../../database/schema/columns';
import { LinkedSharedFile } from '../../shared-files/entities/linked-shared-file.entity';
import { Wiki } from './wiki.entity';

/** A shared file linked to a wiki page. */
@Entity('wiki_shared_file', tableOptions)
@Index(['wikiId'])
export class WikiSharedFile extends LinkedSharedFile {
  @PrimaryForeignKey()
  wikiId: number;

  @ManyToOne(() => Wiki, { onDelete: 'CASCADE' })
  wiki?: Wiki;
}
