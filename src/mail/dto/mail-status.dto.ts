import { ApiProperty } from '@nestjs/swagger';
import { IdProperty, TimestampProperty } from '../../openapi/properties';

/** A mail address that the mail server refuses. */
export class PausedAddressDto {
  @IdProperty({ description: 'The user.', example: 2 })
  userId: number;

  @ApiProperty({ description: 'The `userId` with which the user signs in.', example: 'dana' })
  loginName: string;

  @ApiProperty({ example: 'dana@example.com' })
  mailAddress: string;

  @ApiProperty({
    description: 'What the mail server answered.',
    example: 'The mail server refuses the recipient: 550 5.1.1 No such user',
  })
  reason: string;

  @TimestampProperty()
  paused: string;
}

/** A domain to which the mail server takes no letters. */
export class RefusedDomainDto {
  @ApiProperty({ example: 'example.com' })
  domain: string;

  @ApiProperty({ type: 'integer', format: 'int32', description: 'Number of letters to it.', example: 3 })
  letterCount: number;

  @ApiProperty({
    description: 'What the mail server answered to one of them.',
    example: '554 5.7.1 Relay access denied',
  })
  reason: string;
}

/** An invitation whose letter was not sent. */
export class FailedInvitationDto {
  @ApiProperty({ example: 'kim@example.com' })
  mailAddress: string;

  @ApiProperty({
    description: 'Why it was not sent.',
    example: 'The mail server refuses the recipient: 550 5.1.1 No such user',
  })
  reason: string;

  @TimestampProperty()
  failed: string;
}

/** Whether mail arrives. */
export class MailStatusDto {
  @ApiProperty({ description: 'Whether the service sends mail.', example: false })
  enabled: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The mail server, without its login.',
    example: null,
  })
  server: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'The sender of the letters.', example: null })
  from: string | null;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    description: 'Letters that wait to be sent, at most 10,000.',
    example: 0,
  })
  pending: number;

  @TimestampProperty({ nullable: true, description: 'When the oldest of them was written.', example: null })
  oldestPending: string | null;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    description: 'How long it takes to send them at the pace of the service (`SMTP_RATE`), in seconds.',
    example: 0,
  })
  pendingSeconds: number;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    description: 'Letters that failed permanently in the last 24 hours, at most 10,000.',
    example: 0,
  })
  failed: number;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    description: 'Failures of the mail server since its last success.',
    example: 0,
  })
  failures: number;

  @TimestampProperty({ nullable: true, description: 'When the first of them occurred.', example: null })
  failingSince: string | null;

  @TimestampProperty({
    nullable: true,
    description: 'When the next letter is tried, while sending is paused after failures.',
    example: null,
  })
  pausedUntil: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'The last of these failures.', example: null })
  reason: string | null;

  @ApiProperty({
    type: [RefusedDomainDto],
    description:
      'The domains to which the mail server refuses letters because of a policy, or for which it does not answer, according to the letters that wait or failed in the last 24 hours; at most 20. If it refuses several, it probably sends to no other domain than its own, or only after a login.',
    example: [],
  })
  refusedDomains: RefusedDomainDto[];

  @ApiProperty({
    type: [FailedInvitationDto],
    description: 'The latest 100 invitations whose letters failed permanently in the last 24 hours.',
    example: [],
  })
  failedInvitations: FailedInvitationDto[];

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    description: 'Number of users whose mail address the mail server refuses.',
    example: 0,
  })
  pausedAddressCount: number;

  @ApiProperty({
    type: [PausedAddressDto],
    description: 'The latest 100 of them.',
    example: [],
  })
  pausedAddresses: PausedAddressDto[];
}
