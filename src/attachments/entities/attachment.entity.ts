import { Column, Entity, Index, Unique } from 'typeorm';
import { BigIntColumn, PrimaryId, tableOptions } from '../../database/columns';
import { Authored } from '../../users/entities/authored.entity';

/** An uploaded file; what it is attached to is kept by the feature that attached it. */
@Entity('attachment', tableOptions)
@Unique(['storageKey'])
@Index(['attached', 'created'])
@Index(['createdUserId'])
export class Attachment extends Authored {
  @PrimaryId()
  id: number;

  /** Name of the file in storage; never the user's own. */
  @Column({ length: 64 })
  storageKey: string;

  @Column({ length: 255 })
  name: string;

  /** Bytes; while the upload is still coming in, how many there will be at least. */
  @BigIntColumn()
  size: number;

  /** All bytes are in storage. */
  @Column({ type: 'boolean' })
  stored: boolean;

  /** Used: it cannot be attached again, and does not expire. */
  @Column({ type: 'boolean' })
  attached: boolean;
}
