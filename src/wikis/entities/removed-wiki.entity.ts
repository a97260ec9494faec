import { Entity } from 'typeorm';
import { PrimaryForeignKey, tableOptions } from '../../database/columns';

/** A page that is gone and whose versions are still being removed. */
@Entity('removed_wiki', tableOptions)
export class RemovedWiki {
  @PrimaryForeignKey()
  wikiId: number;
}
