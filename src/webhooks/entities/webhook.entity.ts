import { Column, Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import {
  BigIntColumn,
  JsonColumn,
  LockVersionColumn,
  LongTextColumn,
  PrimaryId,
  tableOptions,
} from '../../database/columns';
import { Project } from '../../projects/entities/project.entity';
import { Edited } from '../../users/entities/authored.entity';

/** A secret that a rotation has replaced. */
export interface PreviousSecret {
  /** Encrypted. */
  secret: string;
  /** Until when it still signs, in milliseconds since 1970. */
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
  @JoinColumn({ name: 'project_id' })
  project?: Project;

  @Column({ length: 255 })
  name: string;

  @LongTextColumn()
  description: string;

  @Column({ length: 2048 })
  hookUrl: string;

  /** Every event, whatever `activityTypeIds` says. */
  @Column({ type: 'boolean' })
  allEvent: boolean;

  @JsonColumn()
  activityTypeIds: number[];

  /** Deleted for everyone, while its deliveries are being removed. */
  @Column({ type: 'boolean', default: false })
  deleted: boolean;

  /** Signs deliveries; encrypted. Null for a webhook that is older than signatures, until it is first needed. */
  @Column({ type: 'varchar', length: 255, nullable: true })
  secret: string | null;

  /** The replaced secrets, the newest first: all that still sign, and perhaps some that have expired. */
  @JsonColumn({ nullable: true })
  previousSecrets: PreviousSecret[] | null;

  @LockVersionColumn()
  lockVersion?: number;
}
