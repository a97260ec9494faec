import { Column, Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { BigIntColumn, JsonColumn, LongTextColumn, PrimaryId, tableOptions } from '../../database/columns';
import { Project } from '../../projects/entities/project.entity';
import { Edited } from '../../users/entities/authored.entity';

/** A secret that a rotation has replaced. */
export interface PreviousSecret {
  /** Encrypted. */
  secret: string;
  /** Until when it signs along, in milliseconds since 1970. */
  expires: number;
}

/** An address that a project's events are sent to (`docs/protocol.md#webhook`). */
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

  /** Gone for everyone and sent nothing; what was on its way to it is being removed. */
  @Column({ type: 'boolean', default: false })
  deleted: boolean;

  /** What deliveries are signed with, encrypted; null until it is first needed for a webhook older than signatures. */
  @Column({ type: 'varchar', length: 255, nullable: true })
  secret: string | null;

  /** The secrets before, the newest first: all that sign along, and maybe some that no longer do. */
  @JsonColumn({ nullable: true })
  previousSecrets: PreviousSecret[] | null;
}
