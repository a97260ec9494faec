import { ApiProperty } from '@nestjs/swagger';
import { DELIVERY_STATE_NAMES, type DeliveryStateName } from '../../deliveries/delivery-state';

/** The delivery of one event to one webhook. */
export class DeliveryDto {
  @ApiProperty({ type: 'integer', format: 'int64', example: 120 })
  id: number;

  @ApiProperty({ type: 'integer', format: 'int64', example: 1 })
  webhookId: number;

  @ApiProperty({
    type: 'integer',
    format: 'int64',
    nullable: true,
    description: 'The delivered activity; null for a test.',
    example: 77,
  })
  activityId: number | null;

  @ApiProperty({ type: 'integer', format: 'int32', example: 3 })
  activityTypeId: number;

  @ApiProperty({
    description: 'The header `webhook-id` of every attempt.',
    example: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  })
  messageId: string;

  @ApiProperty({ enum: DELIVERY_STATE_NAMES, example: 'delivered' })
  state: DeliveryStateName;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    description: 'Number of attempts since the delivery was added or last resent.',
    example: 1,
  })
  attemptCount: number;

  @ApiProperty({
    format: 'date-time',
    nullable: true,
    type: String,
    description: 'Earliest time of the next attempt; null if there is none.',
    example: null,
  })
  nextAttempt: string | null;

  @ApiProperty({ format: 'date-time', example: '2026-01-31T09:30:00Z' })
  created: string;

  @ApiProperty({
    format: 'date-time',
    nullable: true,
    type: String,
    description: 'Time at which it was delivered or given up.',
    example: '2026-01-31T09:30:00Z',
  })
  finished: string | null;
}

/** One request to the receiver. */
export class DeliveryAttemptDto {
  @ApiProperty({ type: 'integer', format: 'int32', description: 'The header `webhook-attempt`.', example: 1 })
  number: number;

  @ApiProperty({ format: 'date-time', example: '2026-01-31T09:30:00Z' })
  started: string;

  @ApiProperty({ type: 'integer', format: 'int32', description: 'Duration in milliseconds.', example: 42 })
  duration: number;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    nullable: true,
    description: 'HTTP status; null if there was no response.',
    example: 200,
  })
  status: number | null;

  @ApiProperty({ description: 'The first 16 KiB of the response, as text.', example: 'ok' })
  response: string;

  @ApiProperty({ description: 'The error; empty on success.', example: '' })
  error: string;
}

/** A delivery with its attempts. */
export class DeliveryDetailDto extends DeliveryDto {
  @ApiProperty({ description: 'The request body, as text.', example: '{"id":77,"type":3}' })
  payload: string;

  @ApiProperty({ type: [DeliveryAttemptDto], description: 'The latest 100 attempts, in order.' })
  attempts: DeliveryAttemptDto[];
}

/** Number of deliveries that are sent again. */
export class RedeliveryDto {
  @ApiProperty({ type: 'integer', format: 'int32', example: 12 })
  count: number;
}
