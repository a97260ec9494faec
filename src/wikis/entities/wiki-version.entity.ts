import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import {
  BigIntColumn,
  LongTextColumn,
  PrimaryForeignKey,
  tableOptions,
  TimeColumn,
} from '../../database/columns';
import { User } from '../../users/entities/user.entity';
import { Wiki } from './wiki.entity';

/** What a wiki page was after one of its changes; the page as it is now is the last of them. */
@Entity('wiki_version', tableOptions)
export class WikiVersion {
  @PrimaryForeignKey()
  wikiId: number;

  @ManyToOne(() => Wiki, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'wiki_id' })
  wiki?: Wiki;

  /** From 1. */
  @PrimaryColumn({ type: 'integer' })
  version: number;

  @Column({ length: 255 })
  name: string;

  @LongTextColumn()
  content: string;

  /** Who made the change. */
  @Index()
  @BigIntColumn()
  createdUserId: number;

  @ManyToOne(() => User)
  @JoinColumn({ name: 'created_user_id' })
  createdUser?: User;

  @TimeColumn()
  created: number;
}
