import { Entity } from 'typeorm';
import { PrimaryForeignKey, tableOptions } from '../../database/schema/columns';

/** A removed wiki page whose versions are still being removed. */
@Entity('removed_wiki', tableOptions)
export class RemovedWiki {
  @PrimaryForeignKey()
  wikiId: number;
}
