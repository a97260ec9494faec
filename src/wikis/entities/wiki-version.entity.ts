import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { LongTextColumn, PrimaryForeignKey, tableOptions } from '../../database/columns';
import { Authored } from '../../users/entities/authored.entity';

/** What a wiki page was after one of its changes; the page as it is now is the last of them. */
@Entity('wiki_version', tableOptions)
@Index(['createdUserId'])
export class WikiVersion extends Authored {
  /** Without a foreign key: a long history stays for a while when its page is gone; `removed_wiki` says of which. */
  @PrimaryForeignKey()
  wikiId: number;

  /** From 1. */
  @PrimaryColumn({ type: 'integer' })
  version: number;

  @Column({ length: 255 })
  name: string;

  /** Empty when `contentVersion` says where it is. */
  @LongTextColumn()
  content: string;

  /** The earlier version that has the same content, which is kept there; null when it is here. */
  @Column({ type: 'integer', nullable: true })
  contentVersion: number | null;
}
