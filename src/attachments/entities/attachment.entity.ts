import { Column, Entity, Index, Unique } from 'typeorm';
import {
  BigIntColumn,
  FormattedColumn,
  PrimaryId,
  SizeColumn,
  tableOptions,
} from '../../database/schema/columns';
import { isKey } from '../file-storage';
import { Authored } from '../../users/entities/authored.entity';

/** An uploaded file; its owner is recorded by the feature that attached it. */
@Entity('attachment', tableOptions)
@Unique(['storageKey'])
@Index(['attached', 'created'])
@Index(['createdUserId'])
export class Attachment extends Authored {
  @PrimaryId()
  id: number;

  /** Name of the file in the storage; never the user's own. */
  @FormattedColumn(isKey, { length: 64 })
  storageKey: string;

  @Column({ length: 255 })
  name: string;

  /** Size in bytes; the expected minimum while the upload is in progress. */
  @SizeColumn()
  size: number;

  /** The key that uploaded it, if it is limited to projects: such a key attaches only its own uploads. */
  @BigIntColumn({ nullable: true })
  uploadKeyId: number | null;

  /** Whether the whole content is in the storage. */
  @Column({ type: 'boolean' })
  stored: boolean;

  /** Whether it has been attached: it cannot be attached again, and does not expire. */
  @Column({ type: 'boolean' })
  attached: boolean;
}
