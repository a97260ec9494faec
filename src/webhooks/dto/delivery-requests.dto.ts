import { ACTIVITY_TYPES, ActivityType } from '../../activities/activity-type';
import { EnumField, NumericEnumField, NumericEnumListField, TimeField } from '../../http/request/fields';
import { IdPageQuery } from '../../http/request/page-query';
import { DELIVERY_STATE_NAMES, type DeliveryStateName } from '../../deliveries/delivery-state';

/** Query of the deliveries of a webhook. */
export class ListDeliveriesQuery extends IdPageQuery {
  @EnumField({ description: 'Only deliveries in this state.', values: DELIVERY_STATE_NAMES, optional: true })
  readonly state?: DeliveryStateName;

  @NumericEnumListField({
    description: 'Only deliveries of these activity types.',
    codes: ACTIVITY_TYPES,
    optional: true,
  })
  readonly activityTypeId: number[] = [];

  @TimeField({ description: 'Only deliveries created at or after this time.', optional: true })
  readonly since?: Date;

  @TimeField({ description: 'Only deliveries created before this time.', optional: true })
  readonly until?: Date;
}

/** Body of a redelivery: the deliveries to send again. */
export class RedeliverDto {
  @TimeField({
    description: 'Only deliveries created at or after this time.',
    example: '2026-01-31T00:00:00Z',
  })
  since: Date;

  @TimeField({
    description: 'Only deliveries created before this time; up to now if omitted.',
    optional: true,
    example: '2026-02-01T00:00:00Z',
  })
  until?: Date;

  @EnumField({
    description: 'Only deliveries in this state; failed ones if omitted.',
    values: DELIVERY_STATE_NAMES,
    default: 'failed',
    optional: true,
  })
  state: DeliveryStateName = 'failed';
}

/** Body of a test of a webhook. */
export class TestWebhookDto {
  @NumericEnumField({
    description: 'The activity type of the sample.',
    codes: ACTIVITY_TYPES,
    default: ActivityType.IssueCommented,
    optional: true,
    example: ActivityType.IssueCommented,
  })
  activityTypeId: ActivityType = ActivityType.IssueCommented;
}
