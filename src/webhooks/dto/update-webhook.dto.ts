import { PartialDto } from '../../http/request/partial-dto';
import { AddWebhookDto } from './add-webhook.dto';

/** What to change of a webhook. */
export class UpdateWebhookDto extends PartialDto(AddWebhookDto) {}
