import { BooleanField, EnumField, EnumListField, IntegerField, TextField } from '../../http/request/fields';
import { MAIL_MODE_NAMES, MAIL_TOPICS, type MailModeName, type MailTopic } from '../letter-kind';

/** Body of a request that changes what letters a user gets. */
export class UpdateMailSettingsDto {
  @EnumField({
    description: 'Letters about notifications: `each` at once, `digest` once a day, or `none`.',
    values: MAIL_MODE_NAMES,
    optional: true,
    example: 'digest',
  })
  mode?: MailModeName;

  @EnumListField({
    description:
      'The topics about which there are no letters with the mode `each`, and none of wiki pages at all.',
    values: MAIL_TOPICS,
    optional: true,
    example: ['updated'],
  })
  mutedTopics?: MailTopic[];

  @IntegerField({
    description: 'The hour of the digest in the time zone.',
    min: 0,
    max: 23,
    optional: true,
    example: 8,
  })
  digestHour?: number;

  @TextField({
    description: 'The name of a time zone, such as `Asia/Tokyo`.',
    min: 1,
    max: 64,
    optional: true,
    example: 'Asia/Tokyo',
  })
  timeZone?: string;

  @EnumField({
    description: 'The language of letters; null for that of the user.',
    values: ['en', 'ja'],
    optional: true,
    nullable: true,
    example: 'ja',
  })
  language?: string | null;

  @BooleanField({
    description: '`false` sends letters again to an address that the mail server has refused; only that.',
    optional: true,
    example: false,
  })
  paused?: boolean;
}
