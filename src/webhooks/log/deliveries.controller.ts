import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  Access,
  type AuthorizedSearcher,
  CurrentAuditedCaller,
  CurrentCaller,
  CurrentSearcher,
  PathResource,
} from '../../access/access';
import { toTimestamp } from '../../http/request/timestamp';
import { type Page } from '../../paging/page';
import { NOT_OF_THE_FAMILY } from '../../openapi/not-of-the-family';
import { Operation } from '../../openapi/operation';
import { type AuditedCaller, type Caller } from '../../access/caller';
import { WebhookDto } from '../dto/webhook.dto';
import { OF_WEBHOOK, WITH_CONTENT } from '../webhook-access';
import { type WebhookResource } from '../webhook.loader';
import { WebhooksService } from '../webhooks.service';
import { DeliveriesService } from './deliveries.service';
import { DeliveryLoader, type DeliveryResource } from './delivery.loader';
import { ListDeliveriesQuery, RedeliverDto, TestWebhookDto } from '../dto/delivery-requests.dto';
import { DeliveryDetailDto, DeliveryDto, RedeliveryDto } from '../dto/delivery.dto';
import { RotatedSecretDto, WebhookSecretDto } from '../dto/webhook-secret.dto';
import { WebhookSecretsService } from '../secrets/webhook-secrets.service';

const GIT =
  'Only Administrators and Normal Users see deliveries about git repositories, pull requests, shared files and comments on documents.';
const OF_DELIVERY = { ...OF_WEBHOOK, resource: DeliveryLoader } as const;

@ApiTags('Webhook deliveries')
@Controller('projects/:projectIdOrKey/webhooks/:webhookId')
export class DeliveriesController {
  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly secrets: WebhookSecretsService,
    private readonly webhooks: WebhooksService,
  ) {}

  @Get('secret')
  @Operation({ summary: "Get a webhook's secret", description: NOT_OF_THE_FAMILY, returns: WebhookSecretDto })
  @Access({ ...OF_WEBHOOK, effect: 'write' })
  async getWebhookSecret(@PathResource() webhook: WebhookResource): Promise<WebhookSecretDto> {
    return { secret: await this.secrets.get(webhook.id) };
  }

  @Post('secret/rotate')
  @Operation({
    summary: "Replace a webhook's secret",
    description: `For a while, deliveries also carry signatures with the old secrets, at most the ten newest. ${NOT_OF_THE_FAMILY}`,
    returns: RotatedSecretDto,
  })
  @Access(OF_WEBHOOK)
  async rotateWebhookSecret(
    @PathResource() webhook: WebhookResource,
    @CurrentAuditedCaller() caller: AuditedCaller,
  ): Promise<RotatedSecretDto> {
    const { secret, previousSecretExpires } = await this.webhooks.rotateSecret(webhook, caller);
    return { secret, previousSecretExpires: toTimestamp(previousSecretExpires) };
  }

  @Post('test')
  @Operation({
    summary: 'Send a sample to a webhook',
    description: `Sent regardless of the activity types of the webhook. The \`id\` in the payload of a test is 0. ${NOT_OF_THE_FAMILY}`,
    returns: DeliveryDto,
    creates: true,
  })
  @Access(OF_WEBHOOK)
  testWebhook(
    @PathResource() webhook: WebhookResource,
    @CurrentCaller() caller: Caller,
    @Body() { activityTypeId }: TestWebhookDto,
  ): Promise<DeliveryDto> {
    return this.deliveries.test(webhook, caller, activityTypeId);
  }

  @Post('enable')
  @Operation({
    summary: 'Enable a webhook',
    description: `Immediately sends the deliveries held back while the webhook was disabled or paused. ${NOT_OF_THE_FAMILY}`,
    returns: WebhookDto,
  })
  @Access(OF_WEBHOOK)
  async enableWebhook(
    @PathResource() webhook: WebhookResource,
    @CurrentAuditedCaller() caller: AuditedCaller,
  ): Promise<WebhookDto> {
    await this.deliveries.enable(webhook, caller);
    return this.webhooks.get(webhook.id);
  }

  @Get('deliveries')
  @Operation({
    summary: "List a webhook's deliveries",
    description: `Deliveries of the last 30 days. ${GIT} ${NOT_OF_THE_FAMILY}`,
    returns: [DeliveryDto],
  })
  @Access(OF_WEBHOOK)
  listWebhookDeliveries(
    @PathResource() webhook: WebhookResource,
    @CurrentCaller() caller: Caller,
    @Query() query: ListDeliveriesQuery,
    @CurrentSearcher() searcher: AuthorizedSearcher,
  ): Promise<Page<DeliveryDto>> {
    return this.deliveries.list(webhook, caller, query, searcher);
  }

  @Post('deliveries/redeliver')
  @Operation({
    summary: 'Resend the deliveries of a time range',
    description: `Restarts the retry schedule, with the same \`webhook-id\`. ${GIT} ${NOT_OF_THE_FAMILY}`,
    returns: RedeliveryDto,
  })
  @Access(OF_WEBHOOK)
  async redeliverWebhookDeliveries(
    @PathResource() webhook: WebhookResource,
    @CurrentCaller() caller: Caller,
    @Body() body: RedeliverDto,
    @CurrentSearcher() searcher: AuthorizedSearcher,
  ): Promise<RedeliveryDto> {
    return { count: await this.deliveries.redeliverRange(webhook, caller, body, searcher) };
  }

  @Get('deliveries/:deliveryId')
  @Operation({
    summary: 'Get a delivery with its attempts',
    description: `${GIT} ${NOT_OF_THE_FAMILY}`,
    returns: DeliveryDetailDto,
  })
  @Access({ ...OF_DELIVERY, ...WITH_CONTENT })
  getWebhookDelivery(@PathResource() delivery: DeliveryResource): Promise<DeliveryDetailDto> {
    return this.deliveries.get(delivery);
  }

  @Post('deliveries/:deliveryId/redeliver')
  @Operation({
    summary: 'Resend a delivery',
    description: `Restarts the retry schedule, with the same \`webhook-id\`. ${GIT} ${NOT_OF_THE_FAMILY}`,
    returns: DeliveryDto,
  })
  @Access(OF_DELIVERY)
  redeliverWebhookDelivery(@PathResource() delivery: DeliveryResource): Promise<DeliveryDto> {
    return this.deliveries.redeliver(delivery);
  }
}
