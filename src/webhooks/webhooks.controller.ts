import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller, Subject } from '../access/access';
import { Operation } from '../openapi/operation';
import { ProjectResolver } from '../projects/project.resolver';
import { type VisibleProject } from '../projects/projects.service';
import { type Caller } from '../users/caller';
import { RoleType } from '../users/role-type';
import { AddWebhookDto } from './dto/add-webhook.dto';
import { WebhookDto } from './dto/webhook.dto';
import { WebhooksService } from './webhooks.service';

@ApiTags('Webhooks')
@Controller('projects/:projectIdOrKey/webhooks')
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Post()
  @Operation({
    summary: 'Add a webhook to a project',
    description: 'Administrators may, and administrators of the project.',
    returns: WebhookDto,
    creates: true,
    countLimit: 'A project can have at most 100 webhooks.',
  })
  @Access({ roles: [RoleType.Administrator], resource: ProjectResolver, orProjectAdministrator: true })
  addWebhook(
    @Subject() project: VisibleProject,
    @CurrentCaller() caller: Caller,
    @Body() body: AddWebhookDto,
  ): Promise<WebhookDto> {
    return this.webhooks.add(project.id, caller, body);
  }
}
