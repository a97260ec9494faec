import { ApiProperty } from '@nestjs/swagger';

/** The secret that signs a webhook's deliveries (Standard Webhooks). */
export class WebhookSecretDto {
  @ApiProperty({
    description: 'The secret, to be shared only with the receiver.',
    example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
  })
  secret: string;
}

/** A new secret, and the time until which the old one also signs. */
export class RotatedSecretDto extends WebhookSecretDto {
  @ApiProperty({
    format: 'date-time',
    description: 'Time until which deliveries also carry a signature with the old secret.',
    example: '2026-02-01T09:30:00Z',
  })
  previousSecretExpires: string;
}
