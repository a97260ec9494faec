import { ApiProperty } from '@nestjs/swagger';

/** The secret that signs a webhook's deliveries (Standard Webhooks). */
export class WebhookSecretDto {
  @ApiProperty({
    description: 'Share it only with the receiver.',
    example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
  })
  secret: string;
}

/** A new secret, and the time until which the old one also signs. */
export class RotatedSecretDto extends WebhookSecretDto {
  @ApiProperty({
    format: 'date-time',
    description: 'Until then deliveries carry a signature by the old secret as well.',
    example: '2026-02-01T09:30:00Z',
  })
  previousSecretExpires: string;
}
