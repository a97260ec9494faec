import { PartialDto } from '../../http/request/partial-dto';
import { AddWebhookDto } from './add-webhook.dto';

/** Body of an update of a webhook. */
export class UpdateWebhookDto extends PartialDto(AddWebhookDto) {}
