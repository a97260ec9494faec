import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { LongTextColumn, PrimaryForeignKey, tableOptions } from '../../database/schema/columns';
import { Authored } from '../../users/entities/authored.entity';

/** The state of a wiki page after a change; the last version is the current state. */
@Entity('wiki_version', tableOptions)
@Index(['createdUserId'])
export class WikiVersion extends Authored {
  /** No foreign key, because a long history outlives its page for a while; `removed_wiki` lists those pages. */
  @PrimaryForeignKey()
  wikiId: number;

  /** From 1. */
  @PrimaryColumn({ type: 'integer' })
  version: number;

  @Column({ length: 255 })
  name: string;

  /** Empty when `contentVersion` refers to the version that stores it. */
  @LongTextColumn()
  content: string;

  /** The earlier version that stores the same content; null when this version stores it. */
  @Column({ type: 'integer', nullable: true })
  contentVersion: number | null;
}
