import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { AuditLogService } from '../audit-log/audit-log.service';
import { TransactionsService } from '../database/transactions/transactions.service';
import { InvalidRequestError, NoResourceError } from '../errors/domain-errors';
import { ProjectCountersService } from '../projects/project-counters.service';
import { type AuditedCaller } from '../access/caller';
import { UserAdministrationService } from '../users/user-administration.service';
import { UsersService } from '../users/users.service';
import { userIdsIn } from '../users/user-ids';
import { WebhookRepository, type WebhookRow } from './data/webhook.repository';
import { AddressGuard, RefusedAddressError } from '../outgoing/address-guard';
import { type HealthRow } from './data/webhook-health.repository';
import { DispatcherService } from './sending/dispatcher.service';
import { EndpointHealthService } from './sending/endpoint-health.service';
import { WebhookRemovalService } from './webhook-removal.service';
import { type RotatedSecret, WebhookSecretsService } from './secrets/webhook-secrets.service';
import { type AddWebhookDto } from './dto/add-webhook.dto';
import { type UpdateWebhookDto } from './dto/update-webhook.dto';
import { type WebhookDto } from './dto/webhook.dto';
import { webhookChanges } from './webhook-audit';
import { toWebhookDto } from './webhook.mapper';
import { type WebhookResource } from './webhook.loader';

/** Timeout for resolving the host name when a webhook is saved, in milliseconds; each delivery resolves it again. */
const RESOLVE_TIMEOUT_MS = 1000;

/** Manages the webhooks of projects. */
@Injectable()
export class WebhooksService implements OnModuleInit {
  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly transactions: TransactionsService,
    private readonly counters: ProjectCountersService,
    private readonly users: UsersService,
    private readonly guard: AddressGuard,
    private readonly secrets: WebhookSecretsService,
    private readonly health: EndpointHealthService,
    private readonly dispatcher: DispatcherService,
    private readonly removal: WebhookRemovalService,
    private readonly auditLog: AuditLogService,
    private readonly administration: UserAdministrationService,
  ) {}

  onModuleInit(): void {
    // The role of the user who last changed a webhook determines what is sent to it.
    this.administration.onRoleChange(() => this.dispatcher.refresh());
  }

  /**
   * Adds a webhook to a project (`docs/protocol.md#add-a-webhook-to-a-project`).
   * @throws InvalidRequestError for a refused address, ResourceOverflowError when the project has too many webhooks
   */
  async add(projectId: number, caller: AuditedCaller, body: AddWebhookDto): Promise<WebhookDto> {
    await this.checkAddress(body.hookUrl);
    return this.register(projectId, caller, body);
  }

  /** Adds a webhook without checking its address, which is checked at each delivery anyway. */
  async register(projectId: number, caller: AuditedCaller, body: AddWebhookDto): Promise<WebhookDto> {
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
      const webhookId = await this.webhooks.insert(manager, { ...row, secret: this.secrets.generate() });
      await this.health.create(manager, webhookId);
      await this.auditLog.record(manager, caller, {
        action: 'webhook.add',
        subject: { id: webhookId, name: row.name },
        projectId,
        changes: webhookChanges({}, row),
      });
      return webhookId;
    });
    const users = await this.users.findByIds([caller.id]);
    return toWebhookDto({ ...row, id }, users);
  }

  /** Returns the webhooks of a project, oldest first, in three queries; a counter limits their number. */
  async list(projectId: number): Promise<WebhookDto[]> {
    return this.toDtos(await this.webhooks.findOfProject(projectId));
  }

  /**
   * Returns a webhook.
   * @throws NoResourceError
   */
  async get(id: number): Promise<WebhookDto> {
    const row = await this.webhooks.find(id);
    if (!row) throw new NoResourceError('webhook');
    const [dto] = await this.toDtos([row]);
    return dto as WebhookDto;
  }

  /**
   * Changes the given fields. Deliveries that are already due go to a new address too.
   * @throws InvalidRequestError for a refused address
   */
  async update(
    { id, projectId }: WebhookResource,
    caller: AuditedCaller,
    changes: UpdateWebhookDto,
  ): Promise<WebhookDto> {
    if (changes.hookUrl !== undefined) await this.checkAddress(changes.hookUrl);
    await this.transactions.run(async (manager) => {
      const row = await this.lock(manager, id);
      const before: Record<string, unknown> = { ...row };
      const isChanged = Object.entries(changes).some(
        ([name, value]) => !isDeepStrictEqual(value, before[name]),
      );
      if (!isChanged) return;
      await this.webhooks.update(manager, id, { ...changes, updatedUserId: caller.id, updated: Date.now() });
      await this.auditLog.record(manager, caller, {
        action: 'webhook.update',
        subject: { id, name: changes.name ?? row.name },
        projectId,
        changes: webhookChanges(row, { ...row, ...changes }),
      });
    });
    await this.dispatcher.refresh();
    return this.get(id);
  }

  /**
   * Replaces the secret. Deliveries that are already due are signed with the new one, too.
   * @throws NoResourceError when the webhook has been deleted
   */
  async rotateSecret(webhook: WebhookResource, caller: AuditedCaller): Promise<RotatedSecret> {
    const rotated = await this.secrets.rotate(webhook, caller);
    await this.dispatcher.refresh();
    return rotated;
  }

  /** Deletes a webhook and returns its last state. Nothing is sent to it any longer; its deliveries are removed afterwards. */
  async delete({ id, projectId }: WebhookResource, caller: AuditedCaller): Promise<WebhookDto> {
    const { row, health } = await this.transactions.run(async (manager) => {
      const deleted = await this.lock(manager, id);
      const last = await this.health.findShown([id], manager);
      const mark = { deleted: true, updatedUserId: caller.id, updated: Date.now() };
      await this.webhooks.update(manager, id, mark);
      await this.health.remove(manager, id);
      await this.counters.giveBack(manager, projectId, 'webhook');
      await this.auditLog.record(manager, caller, {
        action: 'webhook.delete',
        subject: { id, name: deleted.name },
        projectId,
        changes: webhookChanges(deleted, {}),
      });
      this.transactions.afterCommit(manager, () => this.removal.start());
      return { row: deleted, health: last };
    });
    await this.dispatcher.refresh();
    const [dto] = await this.toDtos([row], health);
    return dto as WebhookDto;
  }

  /** Locks a webhook for the rest of the transaction and returns its current state. */
  private async lock(manager: EntityManager, id: number): Promise<WebhookRow> {
    const row = await this.webhooks.lockForUpdate(manager, id);
    if (!row) throw new NoResourceError('webhook');
    return row;
  }

  private async toDtos(
    rows: readonly WebhookRow[],
    health?: ReadonlyMap<number, HealthRow>,
  ): Promise<WebhookDto[]> {
    const users = await this.users.findByIds(userIdsIn(rows));
    const byId = health ?? (await this.health.findShown(rows.map(({ id }) => id)));
    return rows.map((row) => toWebhookDto(row, users, byId.get(row.id)));
  }

  /** Checks an address. A host name that cannot be resolved is accepted: each delivery resolves and checks it again. */
  private async checkAddress(hookUrl: string): Promise<void> {
    const checked = this.guard.resolve(new URL(hookUrl)).catch((error: unknown) => {
      if (error instanceof RefusedAddressError) throw InvalidRequestError.of('hookUrl', error.message);
    });
    await Promise.race([checked, sleep(RESOLVE_TIMEOUT_MS, undefined, { ref: false })]);
  }
}
