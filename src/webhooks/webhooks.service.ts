import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRow, updateRow } from '../database/rows';
import { selectForUpdate } from '../database/statements';
import { TransactionsService } from '../database/transactions.service';
import { InvalidRequestError, NoResourceError } from '../errors/domain-errors';
import { ProjectCountersService } from '../projects/project-counters.service';
import { type Caller } from '../access/caller';
import { UsersService } from '../users/users.service';
import { AddressGuard, RefusedAddressError } from './delivery/address-guard';
import { DispatcherService } from './delivery/dispatcher.service';
import { EndpointHealthService } from './delivery/endpoint-health.service';
import { WebhookRemovalService } from './delivery/webhook-removal.service';
import { WebhookSecretsService } from './delivery/webhook-secrets.service';
import { type AddWebhookDto } from './dto/add-webhook.dto';
import { type UpdateWebhookDto } from './dto/update-webhook.dto';
import { type WebhookDto } from './dto/webhook.dto';
import { Webhook } from './entities/webhook.entity';
import { toWebhookDto, WEBHOOK_COLUMNS, type WebhookRow } from './webhook.mapper';
import { type WebhookResource } from './webhook.loader';

/** How long saving waits for a name to be resolved, in milliseconds; it is resolved again for each delivery. */
const RESOLVE_TIMEOUT_MS = 1000;

/** Webhooks of projects. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: TransactionsService,
    private readonly counters: ProjectCountersService,
    private readonly users: UsersService,
    private readonly guard: AddressGuard,
    private readonly secrets: WebhookSecretsService,
    private readonly health: EndpointHealthService,
    private readonly dispatcher: DispatcherService,
    private readonly removal: WebhookRemovalService,
  ) {}

  /**
   * Adds a webhook to a project (`docs/protocol.md#add-a-webhook-to-a-project`).
   * @throws InvalidRequestError for an address that is not to be sent to, ResourceOverflowError when there are too many
   */
  async add(projectId: number, caller: Caller, body: AddWebhookDto): Promise<WebhookDto> {
    await this.checkAddress(body.hookUrl);
    return this.register(projectId, caller, body);
  }

  /** The same without a look at the address, which is looked at before each delivery in any case. */
  async register(projectId: number, caller: Caller, body: AddWebhookDto): Promise<WebhookDto> {
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
    const users = await this.users.findByIds([caller.id]);
    return toWebhookDto({ ...row, id, activityTypeIds: JSON.stringify(row.activityTypeIds) }, users);
  }

  /** The webhooks of a project, oldest first, in two queries; a counter limits how many there are. */
  async list(projectId: number): Promise<WebhookDto[]> {
    const rows = await this.dataSource.query<WebhookRow[]>(
      `SELECT ${WEBHOOK_COLUMNS} FROM webhook w WHERE w.project_id = ? AND w.deleted = 0 ORDER BY w.id`,
      [projectId],
    );
    return this.toDtos(rows);
  }

  /**
   * One webhook.
   * @throws NoResourceError
   */
  async get(id: number): Promise<WebhookDto> {
    const rows = await this.dataSource.query<WebhookRow[]>(
      `SELECT ${WEBHOOK_COLUMNS} FROM webhook w WHERE w.id = ? AND w.deleted = 0`,
      [id],
    );
    const [webhook] = await this.toDtos(rows);
    if (!webhook) throw new NoResourceError('webhook');
    return webhook;
  }

  /**
   * Changes what is given. What is due goes to a new address, too.
   * @throws InvalidRequestError for an address that is not to be sent to
   */
  async update({ id }: WebhookResource, caller: Caller, changes: UpdateWebhookDto): Promise<WebhookDto> {
    if (changes.hookUrl !== undefined) await this.checkAddress(changes.hookUrl);
    await this.transactions.run(async (manager) => {
      const row = await this.lock(manager, id);
      const before: Record<string, unknown> = {
        ...row,
        allEvent: Boolean(row.allEvent),
        activityTypeIds: JSON.parse(row.activityTypeIds) as number[],
      };
      const isChanged = Object.entries(changes).some(
        ([name, value]) => !isDeepStrictEqual(value, before[name]),
      );
      if (!isChanged) return;
      await updateRow(manager, Webhook, id, { ...changes, updatedUserId: caller.id, updated: Date.now() });
    });
    await this.dispatcher.refresh();
    return this.get(id);
  }

  /** Deletes a webhook, so that nothing is sent to it any more, and gives what it was. What was on its way goes after it. */
  async delete({ id, projectId }: WebhookResource, caller: Caller): Promise<WebhookDto> {
    const row = await this.transactions.run(async (manager) => {
      const deleted = await this.lock(manager, id);
      const mark = { deleted: true, updatedUserId: caller.id, updated: Date.now() };
      await updateRow(manager, Webhook, id, mark);
      await this.health.remove(manager, id);
      await this.counters.giveBack(manager, projectId, 'webhook');
      this.transactions.afterCommit(manager, () => this.removal.start());
      return deleted;
    });
    await this.dispatcher.refresh();
    const [webhook] = await this.toDtos([row]);
    return webhook as WebhookDto;
  }

  /** Takes a webhook for the rest of the transaction and gives what it is now. */
  private async lock(manager: EntityManager, id: number): Promise<WebhookRow> {
    const [row] = await selectForUpdate<WebhookRow>(
      manager,
      `SELECT ${WEBHOOK_COLUMNS} FROM webhook w WHERE w.id = ? AND w.deleted = 0`,
      [id],
    );
    if (!row) throw new NoResourceError('webhook');
    return row;
  }

  private async toDtos(rows: readonly WebhookRow[]): Promise<WebhookDto[]> {
    const users = await this.users.findByIds(rows.flatMap((row) => [row.createdUserId, row.updatedUserId]));
    return rows.map((row) => toWebhookDto(row, users));
  }

  /** A name that cannot be resolved now may be later; what it then stands for is checked before each delivery. */
  private async checkAddress(hookUrl: string): Promise<void> {
    const checked = this.guard.resolve(new URL(hookUrl)).catch((error: unknown) => {
      if (error instanceof RefusedAddressError) throw InvalidRequestError.of('hookUrl', error.message);
    });
    await Promise.race([checked, sleep(RESOLVE_TIMEOUT_MS, undefined, { ref: false })]);
  }
}
