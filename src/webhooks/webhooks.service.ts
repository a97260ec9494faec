import { Injectable } from '@nestjs/common';
import { insertRow } from '../database/statements';
import { Transactions } from '../database/transactions';
import { ProjectCounters } from '../projects/project-counters.service';
import { type Caller } from '../users/caller';
import { UsersService } from '../users/users.service';
import { type AddWebhookDto } from './dto/add-webhook.dto';
import { type WebhookDto } from './dto/webhook.dto';
import { Webhook } from './entities/webhook.entity';
import { toWebhookDto } from './webhook.mapper';

/** Webhooks of projects. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly transactions: Transactions,
    private readonly counters: ProjectCounters,
    private readonly users: UsersService,
  ) {}

  /**
   * Spec 4.8.
   * @throws ResourceOverflowError when the project has too many
   */
  async add(projectId: number, caller: Caller, body: AddWebhookDto): Promise<WebhookDto> {
    const now = Date.now();
    const row = {
      projectId,
      name: body.name,
      description: body.description,
      hookUrl: body.hookUrl,
      allEvent: body.allEvent,
      activityTypeIds: body.activityTypeIds,
      createdUserId: caller.id,
      created: now,
      updatedUserId: caller.id,
      updated: now,
    };
    const id = await this.transactions.run(async (manager) => {
      await this.counters.take(manager, projectId, 'webhook');
      return insertRow(manager, Webhook, row);
    });
    return toWebhookDto({ ...row, id }, await this.users.findByIds([caller.id]));
  }
}
