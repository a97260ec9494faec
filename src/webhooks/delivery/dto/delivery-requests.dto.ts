import { ACTIVITY_TYPES, ActivityType } from '../../../activities/activity-type';
import { EnumField, NumericEnumField, NumericEnumListField, TimeField } from '../../../http/request/fields';
import { IdPageQuery } from '../../../http/request/page-query';
import { DELIVERY_STATE_NAMES, type DeliveryStateName } from '../delivery-state';

/** Query of the deliveries of a webhook. */
export class ListDeliveriesQuery extends IdPageQuery {
  @EnumField({ description: 'Only those in this state.', values: DELIVERY_STATE_NAMES, optional: true })
  readonly state?: DeliveryStateName;

  @NumericEnumListField({
    description: 'Only those of these activity types.',
    codes: ACTIVITY_TYPES,
    optional: true,
  })
  readonly activityTypeId: number[] = [];

  @TimeField({ description: 'Only those created at or after this time.', optional: true })
  readonly since?: Date;

  @TimeField({ description: 'Only those created before this time.', optional: true })
  readonly until?: Date;
}

/** Body of a redelivery: the deliveries to send again. */
export class RedeliverDto {
  @TimeField({ description: 'Those created at or after this time.', example: '2026-01-31T00:00:00Z' })
  since: Date;

  @TimeField({
    description: 'Those created before this time; left out, up to now.',
    optional: true,
    example: '2026-02-01T00:00:00Z',
  })
  until?: Date;

  @EnumField({
    description: 'Only those in this state; left out, those that have failed.',
    values: DELIVERY_STATE_NAMES,
    default: 'failed',
    optional: true,
  })
  state: DeliveryStateName = 'failed';
}

/** Body of a test of a webhook. */
export class TestWebhookDto {
  @NumericEnumField({
    description: 'The activity type to send a sample of.',
    codes: ACTIVITY_TYPES,
    default: ActivityType.IssueCommented,
    optional: true,
    example: ActivityType.IssueCommented,
  })
  activityTypeId: ActivityType = ActivityType.IssueCommented;
}
