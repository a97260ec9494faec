import { Body, Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentAuditedCaller, PathResource } from '../access/access';
import { Operation } from '../openapi/operation';
import { ProjectLoader } from '../projects/project.loader';
import { type VisibleProject } from '../projects/projects.service';
import { type AuditedCaller } from '../access/caller';
import { AddWebhookDto } from './dto/add-webhook.dto';
import { UpdateWebhookDto } from './dto/update-webhook.dto';
import { WebhookDto } from './dto/webhook.dto';
import { ADMINISTRATORS, OF_WEBHOOK, WITH_CONTENT } from './webhook-access';
import { type WebhookResource } from './webhook.loader';
import { WebhooksService } from './webhooks.service';

const OF_PROJECT = { ...ADMINISTRATORS, resource: ProjectLoader } as const;

@ApiTags('Webhooks')
@Controller('projects/:projectIdOrKey/webhooks')
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Get()
  @Operation({
    summary: 'List the webhooks of a project',
    description: 'Oldest first. Only Administrators and administrators of the project may do this.',
    returns: [WebhookDto],
  })
  @Access(OF_PROJECT)
  listWebhooks(@PathResource() project: VisibleProject): Promise<WebhookDto[]> {
    return this.webhooks.list(project.id);
  }

  @Post()
  @Operation({
    summary: 'Add a webhook to a project',
    description: 'Only Administrators and administrators of the project may do this.',
    returns: WebhookDto,
    creates: true,
    countLimit: 'webhook',
  })
  @Access({ ...OF_PROJECT, ...WITH_CONTENT })
  addWebhook(
    @PathResource() project: VisibleProject,
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() body: AddWebhookDto,
  ): Promise<WebhookDto> {
    return this.webhooks.add(project.id, caller, body);
  }

  @Get(':webhookId')
  @Operation({ summary: 'Get a webhook', returns: WebhookDto })
  @Access(OF_WEBHOOK)
  getWebhook(@PathResource() webhook: WebhookResource): Promise<WebhookDto> {
    return this.webhooks.get(webhook.id);
  }

  @Patch(':webhookId')
  @Operation({
    summary: 'Update a webhook',
    description: 'A new URL also applies to pending deliveries.',
    returns: WebhookDto,
  })
  @Access({ ...OF_WEBHOOK, ...WITH_CONTENT })
  updateWebhook(
    @PathResource() webhook: WebhookResource,
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() body: UpdateWebhookDto,
  ): Promise<WebhookDto> {
    return this.webhooks.update(webhook, caller, body);
  }

  @Delete(':webhookId')
  @Operation({
    summary: 'Delete a webhook',
    description: 'Pending deliveries are no longer sent.',
    returns: WebhookDto,
  })
  @Access(OF_WEBHOOK)
  deleteWebhook(
    @PathResource() webhook: WebhookResource,
    @CurrentAuditedCaller() caller: AuditedCaller,
  ): Promise<WebhookDto> {
    return this.webhooks.delete(webhook, caller);
  }
}
