import { Entity, Index, ManyToOne, Unique } from 'typeorm';
import { Activity } from '../../activities/entities/activity.entity';
import {
  BigIntColumn,
  EnumColumn,
  LongTextColumn,
  PrimaryId,
  tableOptions,
  TimeColumn,
} from '../../database/schema/columns';
import { ActivityType } from '../../activities/activity-type';

/** The content sent to the webhooks of a project, fixed when the event happened. */
@Entity('webhook_event', tableOptions)
@Unique(['activityId'])
// What filters and rights read of an event, apart from its payload (`EVENT_FACTS`).
@Index(['id', 'activityType', 'activityId'])
export class WebhookEvent {
  @PrimaryId()
  id: number;

  /** Null for a test. */
  @BigIntColumn({ nullable: true })
  activityId: number | null;

  @ManyToOne(() => Activity, { onDelete: 'CASCADE' })
  activity?: Activity;

  /** A value of `ActivityType`. */
  @EnumColumn(ActivityType)
  activityType: number;

  /** The body of the request, byte for byte, except that long texts are references to `activity_text`. */
  @LongTextColumn()
  payload: string;

  @TimeColumn()
  created: number;
}
