import { Entity, Index, ManyToOne } from 'typeorm';
import { BigIntColumn, EnumColumn, JsonColumn, PrimaryId, tableOptions } from '../../database/schema/columns';
import { ActivityType } from '../activity-type';
import { isObject } from '../../json-shape';
import { Project } from '../../projects/entities/project.entity';
import { Authored } from '../../users/entities/authored.entity';

/**
 * An activity in a project. It exists if and only if its change committed
 * (`docs/decisions/0009-activities-and-notifications.md`).
 */
@Entity('activity', tableOptions)
// Each index has all columns that a list filters by, so that a list reads only the activities that it shows.
@Index(['projectId', 'id', 'type'])
@Index(['projectId', 'type', 'id'])
@Index(['createdUserId', 'projectId', 'id', 'type'])
export class Activity extends Authored {
  @PrimaryId()
  id: number;

  @BigIntColumn()
  projectId: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE' })
  project?: Project;

  /** A value of `ActivityType`. */
  @EnumColumn(ActivityType)
  type: number;

  /** Frozen; its fields depend on the type. Long texts are references to `activity_text`. */
  @JsonColumn({ hasShape: isObject })
  content: object;

  /** The key of the agent that acted for the user; null if the user did. Not a foreign key: the key may be revoked. */
  @BigIntColumn({ nullable: true })
  agentKeyId: number | null;
}
