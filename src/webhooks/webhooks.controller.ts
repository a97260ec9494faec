import { Body, Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentAuditedCaller, PathResource } from '../access/access';
import { Operation } from '../openapi/operation';
import { ProjectLoader } from '../projects/project.loader';
import { type VisibleProject } from '../projects/projects.service';
import { type AuditedCaller } from '../access/caller';
import { RoleType } from '../access/role-type';
import { AddWebhookDto } from './dto/add-webhook.dto';
import { UpdateWebhookDto } from './dto/update-webhook.dto';
import { WebhookDto } from './dto/webhook.dto';
import { WebhookLoader, type WebhookResource } from './webhook.loader';
import { WebhooksService } from './webhooks.service';

const OF_PROJECT = {
  roles: [RoleType.Administrator],
  resource: ProjectLoader,
  orProjectAdministrator: true,
} as const;
const OF_WEBHOOK = { ...OF_PROJECT, resource: WebhookLoader } as const;
/** Webhooks receive content of all areas. */
const RECEIVES_ALL = { furtherScopes: ['read'] } as const;

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
  @Access({ ...OF_PROJECT, ...RECEIVES_ALL })
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
  @Access({ ...OF_WEBHOOK, ...RECEIVES_ALL })
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
