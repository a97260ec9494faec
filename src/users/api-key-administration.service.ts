import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Actor } from '../audit-log/actor';
import { type AuditAction } from '../audit-log/audit-action';
import { auditChanges } from '../audit-log/audit-changes';
import { AuditLogService } from '../audit-log/audit-log.service';
import { TransactionsService } from '../database/transactions/transactions.service';
import { InvalidRequestError, NoResourceError, UnauthorizedOperationError } from '../errors/domain-errors';
import { toTimestamp } from '../http/request/timestamp';
import { CountLimitsService } from '../limits/count-limits.service';
import { LATEST_TIME } from '../time-range';
import { generateApiKey } from './api-key';
import { ApiKeysService } from './api-keys.service';
import { ApiKeyRepository, type ApiKeyRow } from './data/api-key.repository';
import { type AddApiKeyDto } from './dto/add-api-key.dto';
import { type ApiKeyDto, type NewApiKeyDto } from './dto/api-key.dto';
import { fromStoredLimits, type KeyLimits, type LimitedCaller, problemsBeyond } from './key-limits';
import { KnownCallersService } from './known-callers.service';
import { LastAdministratorService } from './last-administrator.service';
import { PastExpiryError } from './user-errors';
import { UsersService } from './users.service';

/** Finds which of the projects a user is a member of. */
export type MembershipFinder = (userId: number, projectIds: readonly number[]) => Promise<number[]>;

/** Lists, adds and revokes the API keys of a user. */
@Injectable()
export class ApiKeyAdministrationService {
  private findMemberships?: MembershipFinder;

  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly transactions: TransactionsService,
    private readonly users: UsersService,
    private readonly apiKeys: ApiKeysService,
    private readonly known: KnownCallersService,
    private readonly administrators: LastAdministratorService,
    private readonly auditLog: AuditLogService,
    private readonly limits: CountLimitsService,
  ) {}

  /** Registers the finder of memberships. Without it, no key can be limited to projects. */
  setMembershipFinder(finder: MembershipFinder): void {
    this.findMemberships = finder;
  }

  /**
   * Returns the keys of a user, ordered by id.
   * @param viewer the key that requests them; one that is limited to projects sees only keys within its limits
   */
  async list(userId: number, viewer: LimitedCaller = {}): Promise<ApiKeyDto[]> {
    const rows = await this.keys.findOfUser(userId);
    const shown = viewer.projectIds
      ? rows.filter((row) => problemsBeyond(viewer, fromStoredLimits(row)).length === 0)
      : rows;
    return shown.map(toApiKeyDto);
  }

  /**
   * Creates a key.
   * @param creator the key that requests it, whose limits the new one cannot exceed
   * @throws InvalidRequestError for limits beyond these, an expiry in the past, or projects that the user is not a member of,
   * ResourceOverflowError when the user has the maximum number of keys
   */
  async add(
    actor: Actor,
    userId: number,
    { expires, ...body }: AddApiKeyDto,
    creator: LimitedCaller = {},
  ): Promise<NewApiKeyDto> {
    // Answers cannot express a later time.
    const added = { ...body, expires: expires && Math.min(expires.getTime(), LATEST_TIME) };
    const problems = problemsBeyond(creator, added);
    if (problems.length > 0) throw new InvalidRequestError(problems);
    await this.requireUseful(userId, added);
    const key = generateApiKey();
    return this.transactions.run(async (manager) => {
      await this.users.lock(manager, userId);
      await this.users.requireAdministratorOrSelf(manager, actor, userId);
      await this.keys.deleteExpired(manager, userId, Date.now());
      this.limits.require('apiKey', (await this.keys.countOfUser(userId, manager)) + 1);
      const id = await this.apiKeys.add(manager, userId, key, added);
      const dto = toApiKeyDto(await this.findKey(id, manager));
      await this.record(manager, actor, 'apiKey.add', dto, userId);
      return { ...dto, key };
    });
  }

  /**
   * Revokes a key: immediately in this process, within seconds in others.
   * @param revoker the key that requests it
   * @throws InvalidRequestError when no Administrator would have a key left, UnauthorizedOperationError for a key beyond the revoker's limits
   */
  async remove(actor: Actor, id: number, userId: number, revoker: LimitedCaller = {}): Promise<ApiKeyDto> {
    // The limits of a key never change.
    this.requireWithin(revoker, await this.findKey(id));
    return this.transactions.run(async (manager) => {
      await this.administrators.requireOtherAdminKey(manager, id, 'apiKeyId');
      await this.users.lock(manager, userId);
      const removed = toApiKeyDto(await this.findKey(id, manager));
      await this.keys.delete(manager, id);
      await this.record(manager, actor, 'apiKey.delete', removed, userId);
      this.transactions.afterCommit(manager, () => this.known.forget(userId));
      return removed;
    });
  }

  /** Whether a user has a key. */
  has(userId: number, id: number): Promise<boolean> {
    return this.keys.belongsTo(id, userId);
  }

  private async record(
    manager: EntityManager,
    actor: Actor,
    action: AuditAction,
    { id, name, scopes, projectIds, expires, agent }: ApiKeyDto,
    ownerId: number,
  ): Promise<void> {
    const { userId } = await this.users.get(ownerId, manager);
    const lists = { scopes: scopes?.join(' ') ?? null, projectIds: projectIds?.join(' ') ?? null };
    const values = { userId, ...lists, agent, expires };
    const [before, after] = action === 'apiKey.add' ? [{}, values] : [values, {}];
    const changes = auditChanges(before, after, ['userId', 'scopes', 'projectIds', 'agent', 'expires']);
    await this.auditLog.record(manager, actor, { action, subject: { id, name }, changes });
  }

  /** @throws InvalidRequestError for limits with which the key could do nothing */
  private async requireUseful(userId: number, { scopes, projectIds, expires }: KeyLimits): Promise<void> {
    if (expires !== undefined && expires <= Date.now()) {
      throw new PastExpiryError();
    }
    if (!projectIds) return;
    if (scopes?.includes('admin')) {
      throw InvalidRequestError.of(
        'scopes',
        'scopes must not include admin for a key that is limited to projects, because it concerns the whole space.',
      );
    }
    const members = new Set(await this.findMemberships?.(userId, projectIds));
    const others = projectIds.filter((id) => !members.has(id));
    if (others.length > 0) {
      const ids = others.join(', ');
      throw InvalidRequestError.of('projectIds', `The user is not a member of these projects: ${ids}.`);
    }
  }

  /** @throws UnauthorizedOperationError for a key beyond the limits, NoResourceError if the revoker does not see it either */
  private requireWithin(revoker: LimitedCaller, row: ApiKeyRow): void {
    if (problemsBeyond(revoker, fromStoredLimits(row)).length === 0) return;
    if (revoker.projectIds) throw new NoResourceError('API key');
    throw new UnauthorizedOperationError('A key with limits can revoke only keys within these limits.');
  }

  private async findKey(id: number, manager?: EntityManager): Promise<ApiKeyRow> {
    const row = await this.keys.find(id, manager);
    if (!row) throw new NoResourceError('API key');
    return row;
  }
}

const toApiKeyDto = ({ id, name, created, lastUsed, ...row }: ApiKeyRow): ApiKeyDto => {
  const { scopes = null, projectIds = null, expires, agent = null } = fromStoredLimits(row);
  return {
    id,
    name,
    scopes: scopes && [...scopes],
    projectIds: projectIds && [...projectIds],
    agent,
    created: toTimestamp(created),
    expires: expires === undefined ? null : toTimestamp(expires),
    lastUsed: lastUsed === null ? null : toTimestamp(lastUsed),
  };
};
