import { ACTIVITY_TYPES, ActivityType } from '../../activities/activity-type';
import { BooleanField, NumericEnumListField, TextField, UrlField } from '../../http/request/fields';

/** Body of a new webhook (`docs/protocol.md#add-a-webhook-to-a-project`). */
export class AddWebhookDto {
  @TextField({ description: 'The name.', min: 1, max: 255, trim: true, example: 'Chat' })
  name: string;

  @TextField({ description: 'The description.', max: 100_000, optional: true, example: 'Posts to #dev' })
  description: string = '';

  @UrlField({
    description: 'URL to which events are sent.',
    max: 2048,
    example: 'https://chat.example.com/hooks/42',
  })
  hookUrl: string;

  @BooleanField({
    description: 'Whether to send all events.',
    default: false,
    optional: true,
    example: false,
  })
  allEvent: boolean = false;

  @NumericEnumListField({
    description: 'The activity types to send.',
    codes: ACTIVITY_TYPES,
    optional: true,
    example: [ActivityType.IssueCreated, ActivityType.IssueCommented],
  })
  activityTypeIds: number[] = [];
}
