import { Column, Entity, Index, ManyToOne } from 'typeorm';
import {
  BigIntColumn,
  JsonColumn,
  LockVersionColumn,
  LongTextColumn,
  PrimaryId,
  tableOptions,
} from '../../database/schema/columns';
import { isInteger, listOf } from '../../json-shape';
import { Project } from '../../projects/entities/project.entity';
import { Edited } from '../../users/entities/authored.entity';

/** A secret replaced by a rotation. */
export interface PreviousSecret {
  /** Encrypted. */
  secret: string;
  /** When it stops signing, in milliseconds since 1970. */
  expires: number;
}

/** An address to which a project's events are sent (`docs/protocol.md#webhook`). */
@Entity('webhook', tableOptions)
@Index(['createdUserId'])
export class Webhook extends Edited {
  @PrimaryId()
  id: number;

  @Index()
  @BigIntColumn()
  projectId: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE' })
  project?: Project;

  @Column({ length: 255 })
  name: string;

  @LongTextColumn()
  description: string;

  @Column({ length: 2048 })
  hookUrl: string;

  /** Whether every event is sent, regardless of `activityTypeIds`. */
  @Column({ type: 'boolean' })
  allEvent: boolean;

  @JsonColumn({ hasShape: listOf(isInteger) })
  activityTypeIds: number[];

  /** Whether the webhook is deleted, while its deliveries are being removed. */
  @Column({ type: 'boolean', default: false })
  deleted: boolean;

  /** Signs deliveries; encrypted. Null, until first needed, for a webhook that is older than signatures or lost its key. */
  @Column({ type: 'varchar', length: 255, nullable: true })
  secret: string | null;

  /** Replaced secrets, newest first: all that still sign, and possibly some that have expired. */
  @JsonColumn({ nullable: true })
  previousSecrets: PreviousSecret[] | null;

  @LockVersionColumn()
  lockVersion?: number;
}
