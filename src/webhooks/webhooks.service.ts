import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { insertRow } from '../database/statements';
import { Transactions } from '../database/transactions';
import { InvalidRequestError, NoResourceError } from '../errors/domain-errors';
import { ProjectCounters } from '../projects/project-counters.service';
import { type Caller } from '../users/caller';
import { UsersService } from '../users/users.service';
import { AddressGuard, RefusedAddressError } from './delivery/address-guard';
import { EndpointHealthService } from './delivery/endpoint-health.service';
import { WebhookSecretsService } from './delivery/webhook-secrets.service';
import { type AddWebhookDto } from './dto/add-webhook.dto';
import { type WebhookDto } from './dto/webhook.dto';
import { Webhook } from './entities/webhook.entity';
import { toWebhookDto } from './webhook.mapper';

/** How long saving waits for a name to be resolved, in milliseconds; it is resolved again for each delivery. */
const RESOLVE_TIMEOUT_MS = 1000;

/** Webhooks of projects. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: Transactions,
    private readonly counters: ProjectCounters,
    private readonly users: UsersService,
    private readonly guard: AddressGuard,
    private readonly secrets: WebhookSecretsService,
    private readonly health: EndpointHealthService,
  ) {}

  /**
   * Spec 4.8.
   * @throws InvalidRequestError for an address that is not to be sent to, ResourceOverflowError when there are too many
   */
  async add(projectId: number, caller: Caller, body: AddWebhookDto): Promise<WebhookDto> {
    await this.checkAddress(body.hookUrl);
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
      const webhookId = await insertRow(manager, Webhook, { ...row, secret: this.secrets.generate() });
      await this.health.create(manager, webhookId);
      return webhookId;
    });
    return toWebhookDto({ ...row, id }, await this.users.findByIds([caller.id]));
  }

  /**
   * One webhook.
   * @throws NoResourceError
   */
  async get(id: number): Promise<WebhookDto> {
    const webhook = await this.dataSource.manager.findOneBy(Webhook, { id });
    if (!webhook) throw new NoResourceError('webhook');
    return toWebhookDto(webhook, await this.users.findByIds([webhook.createdUserId, webhook.updatedUserId]));
  }

  /** A name that cannot be resolved now may be later; what it then stands for is checked before each delivery. */
  private async checkAddress(hookUrl: string): Promise<void> {
    const checked = this.guard.resolve(new URL(hookUrl)).catch((error: unknown) => {
      if (error instanceof RefusedAddressError) throw InvalidRequestError.of('hookUrl', error.message);
    });
    await Promise.race([checked, sleep(RESOLVE_TIMEOUT_MS, undefined, { ref: false })]);
  }
}
