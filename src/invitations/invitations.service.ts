import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type AuditedCaller } from '../access/caller';
import { missingScopes, type Scope } from '../access/scopes';
import { type Actor, COMMAND_LINE } from '../audit-log/actor';
import { auditChanges } from '../audit-log/audit-changes';
import { type AuditedChange, AuditLogService } from '../audit-log/audit-log.service';
import { Environment } from '../config/environment';
import { TransactionsService } from '../database/transactions/transactions.service';
import { InsufficientScopeError, NoResourceError } from '../errors/domain-errors';
import { CountLimitsService } from '../limits/count-limits.service';
import { type IdPaging, Page } from '../paging/page';
import { ProjectsService } from '../projects/projects.service';
import { SpaceService } from '../space/space.service';
import { TeamReaderService } from '../teams/team-reader.service';
import { generateToken, hashToken } from '../users/token';
import { requireNoNewAdministrator, UserAdministrationService } from '../users/user-administration.service';
import { UsersService } from '../users/users.service';
import { InvitationRepository, type InvitationRow } from './data/invitation.repository';
import { type AddInvitationsDto } from './dto/add-invitations.dto';
import { type InvitationDto, type NewInvitationDto } from './dto/invitation.dto';
import { InvitationLettersService } from './invitation-letters.service';
import { AcceptedInvitationError, AlreadyUsersError } from './invitation-errors';
import { toInvitationBase, toInvitationDto } from './invitation.mapper';

const DAY_MS = 24 * 60 * 60_000;
/** How long a link works, in milliseconds. */
const LIFETIME_MS = 7 * DAY_MS;
/** How long the list shows expired and accepted invitations, in milliseconds. */
const SHOWN_EXPIRED_MS = 30 * DAY_MS;
const SHOWN_ACCEPTED_MS = 90 * DAY_MS;

/** What a key needs to add members to a project. */
const JOINING: readonly Scope[] = ['write:projects'];

/** The fields of an invitation that the audit log records. */
const AUDITED = ['mailAddress', 'roleType', 'projectIds', 'teamIds'] as const;

/** Adds, lists and revokes invitations (`docs/decisions/0063-invitations.md`). */
@Injectable()
export class InvitationsService implements OnModuleInit {
  constructor(
    private readonly environment: Environment,
    private readonly transactions: TransactionsService,
    private readonly space: SpaceService,
    private readonly users: UsersService,
    private readonly userAdministration: UserAdministrationService,
    private readonly projects: ProjectsService,
    private readonly teams: TeamReaderService,
    private readonly limits: CountLimitsService,
    private readonly auditLog: AuditLogService,
    private readonly invitations: InvitationRepository,
    private readonly letters: InvitationLettersService,
  ) {}

  onModuleInit(): void {
    // Should the user come back as an Administrator, their former invitations do not.
    this.userAdministration.onLeaving((manager, userId) =>
      this.invitations.deleteUnacceptedBy(manager, userId),
    );
  }

  /**
   * Invites people, and returns the links. Replaces the open invitations of their addresses.
   * @throws UnauthorizedOperationError, InsufficientScopeError for a key that may not add members to projects, InvalidRequestError for
   * addresses of users and for unknown projects and teams, ResourceOverflowError for too many open invitations
   */
  async add(caller: AuditedCaller, body: AddInvitationsDto): Promise<NewInvitationDto[]> {
    requireNoNewAdministrator(caller, body.roleType);
    const missing = caller.scopes && body.projectIds.length > 0 ? missingScopes(caller.scopes, JOINING) : [];
    if (missing.length > 0) throw new InsufficientScopeError(missing);
    return this.insert(caller, body);
  }

  /** Same, on behalf of the operator of the service instead of a user. */
  addByOperator(body: AddInvitationsDto): Promise<NewInvitationDto[]> {
    return this.insert(COMMAND_LINE, body);
  }

  private insert(actor: Actor, body: AddInvitationsDto): Promise<NewInvitationDto[]> {
    const { mailAddresses, roleType, projectIds, teamIds } = body;
    return this.transactions.run(async (manager) => {
      await this.space.lock(manager);
      await this.projects.requireExisting(projectIds, 'projectIds', manager);
      await this.teams.requireExisting(teamIds, 'teamIds', manager);
      const taken = await this.users.findMailAddresses(mailAddresses, manager);
      if (taken.length > 0) throw new AlreadyUsersError(taken);
      await this.invitations.deleteUnacceptedOf(
        manager,
        mailAddresses.map((address) => address.toLowerCase()),
      );
      const created = Date.now();
      this.limits.require(
        'invitation',
        (await this.invitations.countOpen(manager, created)) + mailAddresses.length,
      );
      const invitations = mailAddresses.map((mailAddress) => {
        const token = generateToken();
        const row = {
          ...{ mailAddress, roleType, projectIds, teamIds, created },
          createdUserId: actor.id,
          expires: created + LIFETIME_MS,
          accepted: null,
          acceptedUserId: null,
        };
        return { token, row };
      });
      const ids = await this.invitations.insert(
        manager,
        invitations.map(({ token, row }) => ({ ...row, tokenHash: hashToken(token) })),
      );
      await this.letters.add(manager, ids);
      const added = invitations.map(({ token, row }, index) => ({
        token,
        row: { ...row, id: ids[index] ?? 0 },
      }));
      await this.auditLog.recordAll(
        manager,
        actor,
        added.map(({ row }) => auditedChange('invitation.add', { after: row })),
      );
      return added.map(({ token, row }) => ({
        ...toInvitationBase(row),
        url: this.environment.webUrl(`/invitation/${token}`),
      }));
    });
  }

  /** Returns one page of all invitations. */
  async list(query: IdPaging): Promise<Page<InvitationDto>> {
    const { items, next } = await this.invitations.findPage(query);
    return new Page(await this.build(items), next);
  }

  /** Returns the newest invitations that can be accepted. */
  async listOpen(limit: number): Promise<InvitationDto[]> {
    return this.build(await this.invitations.findOpen(Date.now(), limit));
  }

  /**
   * Revokes an invitation: its link does not work any more.
   * @throws NoResourceError, InvalidRequestError if it has been accepted
   */
  revoke(actor: Actor, id: number): Promise<InvitationDto> {
    return this.transactions.run(async (manager) => {
      const row = await this.invitations.find(id, manager);
      if (!row) throw new NoResourceError('invitation');
      if (!(await this.invitations.deleteUnaccepted(manager, id))) {
        throw new AcceptedInvitationError();
      }
      await this.auditLog.record(manager, actor, auditedChange('invitation.delete', { before: row }));
      const [revoked] = await this.build([row], manager);
      return revoked as InvitationDto;
    });
  }

  /** Removes invitations that expired, or were accepted, long ago; returns their number. */
  removeOld(limit: number): Promise<number> {
    const now = Date.now();
    const before = { expired: now - SHOWN_EXPIRED_MS, accepted: now - SHOWN_ACCEPTED_MS };
    return this.transactions.run((manager) => this.invitations.deleteOld(manager, before, limit));
  }

  private async build(rows: readonly InvitationRow[], manager?: EntityManager): Promise<InvitationDto[]> {
    if (rows.length === 0) return [];
    const ids = rows.flatMap(({ createdUserId, acceptedUserId }) => [createdUserId, acceptedUserId]);
    const users = await this.users.findByIds(
      ids.filter((id) => id !== null),
      manager,
    );
    return rows.map((row) => toInvitationDto(row, users));
  }
}

function auditedChange(
  action: 'invitation.add' | 'invitation.delete',
  { before, after }: { before?: InvitationRow; after?: InvitationRow },
): AuditedChange {
  const { id, mailAddress } = (after ?? before) as InvitationRow;
  const changes = auditChanges(auditedFields(before), auditedFields(after), AUDITED);
  return { action, subject: { id, name: mailAddress }, changes };
}

/** Returns the fields of an invitation for the audit log; empty lists are left out. */
const auditedFields = (row: InvitationRow | undefined): Record<string, unknown> =>
  row
    ? {
        ...row,
        projectIds: row.projectIds.length > 0 ? row.projectIds : undefined,
        teamIds: row.teamIds.length > 0 ? row.teamIds : undefined,
      }
    : {};
