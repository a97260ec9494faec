import { toTimestamp } from '../../http/request/timestamp';
import { DeliveryState, deliveryStateName } from './delivery-state';
import { messageIdOf } from './delivery';
import { type DeliveryAttemptDto, type DeliveryDto } from './dto/delivery.dto';

/** A delivery as read from the database. */
export interface DeliveryRow {
  id: number;
  webhookId: number;
  activityId: number | null;
  activityType: number;
  messageId: string | null;
  state: DeliveryState;
  attempt: number;
  nextAt: number;
  created: number;
  finished: number | null;
}

/** An attempt as read from the database. */
export interface AttemptRow {
  number: number;
  started: number;
  duration: number;
  status: number | null;
  response: string;
  error: string;
}

/** A delivery as the wire shows it. */
export const toDeliveryDto = (row: DeliveryRow): DeliveryDto => ({
  id: row.id,
  webhookId: row.webhookId,
  activityId: row.activityId,
  activityTypeId: row.activityType,
  messageId: messageIdOf(row),
  state: deliveryStateName(row.state),
  attemptCount: row.attempt,
  nextAttempt: row.state === DeliveryState.Pending ? toTimestamp(row.nextAt) : null,
  created: toTimestamp(row.created),
  finished: row.finished === null ? null : toTimestamp(row.finished),
});

/** An attempt as the wire shows it. */
export const toAttemptDto = (row: AttemptRow): DeliveryAttemptDto => ({
  ...row,
  started: toTimestamp(row.started),
});
