import { ApiProperty } from '@nestjs/swagger';
import { MAIL_MODE_NAMES, MAIL_TOPICS, type MailModeName, type MailTopic } from '../letter-kind';

/** What letters a user gets. */
export class MailSettingsDto {
  @ApiProperty({ description: 'The mail address to which letters go.', example: 'dana@example.com' })
  mailAddress: string;

  @ApiProperty({
    enum: MAIL_MODE_NAMES,
    description:
      'Letters about notifications: `each` at once, `digest` once a day, or `none`. Letters about the security of the account are always sent.',
    example: 'each',
  })
  mode: MailModeName;

  @ApiProperty({
    enum: MAIL_TOPICS,
    isArray: true,
    description:
      'The topics about which there are no letters with the mode `each`, and none of wiki pages at all.',
    example: ['updated'],
  })
  mutedTopics: MailTopic[];

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    description: 'The hour of the digest in the time zone: 0 to 23.',
    example: 8,
  })
  digestHour: number;

  @ApiProperty({ description: 'The name of a time zone.', example: 'Asia/Tokyo' })
  timeZone: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The language of letters: `en` or `ja`; null for that of the user.',
    example: null,
  })
  language: string | null;

  @ApiProperty({
    description:
      'Whether the mail server has refused the address, so that only letters for which somebody waits are sent to it.',
    example: false,
  })
  paused: boolean;

  @ApiProperty({ type: String, nullable: true, description: 'What the mail server answered.', example: null })
  pausedReason: string | null;
}
