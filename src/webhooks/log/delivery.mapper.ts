import { toTimestamp } from '../../http/request/timestamp';
import { type DeliveryRow } from '../data/delivery.repository';
import { type AttemptRow } from '../data/delivery-attempt.repository';
import { messageIdOf } from '../sending/delivery';
import { DeliveryState, deliveryStateName } from '../../deliveries/delivery-state';
import { type DeliveryAttemptDto, type DeliveryDto } from '../dto/delivery.dto';

/** Maps a delivery row to its API representation. */
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

/** Maps an attempt row to its API representation. */
export const toAttemptDto = ({
  number,
  started,
  duration,
  status,
  response,
  error,
}: AttemptRow): DeliveryAttemptDto => ({
  number,
  started: toTimestamp(started),
  duration,
  status,
  response,
  error,
});
