import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type AuditedCaller } from '../access/caller';
import { type Actor, by, type Originators } from '../audit-log/actor';
import { type AuditAction } from '../audit-log/audit-action';
import { auditChanges } from '../audit-log/audit-changes';
import { AuditLogService } from '../audit-log/audit-log.service';
import { TransactionsService } from '../database/transactions/transactions.service';
import { NoResourceError } from '../errors/domain-errors';
import { CountLimitsService } from '../limits/count-limits.service';
import { SpaceService } from '../space/space.service';
import { UsersService } from '../users/users.service';
import { ProjectTeamRepository } from './data/project-team.repository';
import { TeamMemberRepository } from './data/team-member.repository';
import { TeamRepository } from './data/team.repository';
import { type AddTeamDto } from './dto/add-team.dto';
import { type TeamDto } from './dto/team.dto';
import { type UpdateTeamDto } from './dto/update-team.dto';
import { TeamMembershipsService } from './team-memberships.service';
import { TeamReaderService } from './team-reader.service';

/** The field of a request that names the members. */
const FIELD = 'members';

/** A new name, if given, and users who join and leave, by their ids. */
interface TeamChange {
  name?: string;
  added: readonly number[];
  removed: readonly number[];
}

/** How a transaction that has locked a team reads it. */
interface TeamReads {
  team: (manager: EntityManager, id: number) => Promise<TeamDto>;
  projectIds: (manager: EntityManager, id: number) => Promise<number[]>;
}

/** Called with the id of a team that is being deleted. */
export type TeamListener = (manager: EntityManager, teamId: number) => Promise<void>;

/**
 * Adds, changes and deletes teams. Locks users before teams and teams before projects, so that none of them is removed while a
 * team joins them (`docs/decisions/0041-teams.md`).
 */
@Injectable()
export class TeamsService {
  private readonly listeners: TeamListener[] = [];
  /** For a transaction that has read nothing before its locks. */
  private readonly plainReads: TeamReads = {
    team: (manager, id) => this.reader.get(id, manager),
    projectIds: (manager, id) => this.projectTeams.findProjectIds(manager, id),
  };
  /** For any other, whose plain reads show the team as it was at the first of them. */
  private readonly currentReads: TeamReads = {
    team: (manager, id) => this.reader.getCurrent(id, manager),
    projectIds: (manager, id) => this.projectTeams.lockProjectIds(manager, id),
  };

  constructor(
    private readonly transactions: TransactionsService,
    private readonly space: SpaceService,
    private readonly users: UsersService,
    private readonly limits: CountLimitsService,
    private readonly auditLog: AuditLogService,
    private readonly memberships: TeamMembershipsService,
    private readonly reader: TeamReaderService,
    private readonly teams: TeamRepository,
    private readonly members: TeamMemberRepository,
    private readonly projectTeams: ProjectTeamRepository,
  ) {}

  /**
   * Adds a team as the last one.
   * @throws InvalidRequestError for members who do not exist, ResourceOverflowError for too many members or teams
   */
  add(caller: AuditedCaller, { name, members }: AddTeamDto): Promise<TeamDto> {
    return this.transactions.run(async (manager) => {
      await this.space.lock(manager);
      await this.users.lockAllEvenIfLeft(manager, members);
      await this.users.getUsable(members, FIELD, manager);
      this.limits.require('teamMember', members.length);
      this.limits.require('team', (await this.teams.count(manager)) + 1);
      const created = Date.now();
      const id = await this.teams.insert(manager, {
        name,
        displayOrder: ((await this.teams.findLastOrder(manager)) ?? -1) + 1,
        createdUserId: caller.id,
        created,
        updatedUserId: caller.id,
        updated: created,
      });
      await this.members.insert(manager, id, members);
      const added = await this.reader.get(id, manager);
      await this.audit(manager, caller, 'team.add', { after: added });
      return added;
    });
  }

  /**
   * Changes a team; a new list of members replaces the old one, also in every project of the team.
   * @throws NoResourceError when it has been deleted, InvalidRequestError for members who do not exist, ResourceOverflowError
   * for too many members
   */
  update(caller: AuditedCaller, id: number, { name, members }: UpdateTeamDto): Promise<TeamDto> {
    return this.transactions.run(async (manager) => {
      if (members) await this.users.lockAllEvenIfLeft(manager, members);
      const before = await this.lock(manager, id);
      if (members) await this.users.getUsable(members, FIELD, manager);
      const memberIds = before.members.map((user) => user.id);
      return this.change(manager, by(caller), before, {
        name,
        added: difference(members ?? [], memberIds),
        removed: members ? difference(memberIds, members) : [],
      });
    });
  }

  /**
   * Adds a user whom the transaction has added or locked to a team, and so to its projects, whatever it has read before.
   * @throws NoResourceError when it has been deleted, ResourceOverflowError for too many members
   */
  async addMember(
    manager: EntityManager,
    originators: Originators,
    id: number,
    userId: number,
  ): Promise<TeamDto> {
    const before = await this.lock(manager, id, this.currentReads);
    return this.change(manager, originators, before, { added: [userId], removed: [] }, this.currentReads);
  }

  /** Changes a team that the transaction has locked, unless nothing differs. */
  private async change(
    manager: EntityManager,
    { author, actor }: Originators,
    before: TeamDto,
    { name, added, removed }: TeamChange,
    reads = this.plainReads,
  ): Promise<TeamDto> {
    const { id } = before;
    const isRenamed = name !== undefined && name !== before.name;
    if (!isRenamed && added.length + removed.length === 0) return before;
    if (added.length > 0) {
      this.limits.require('teamMember', before.members.length + added.length - removed.length);
    }
    await this.teams.update(manager, id, { name, updatedUserId: author.id, updated: Date.now() });
    await this.members.delete(manager, id, removed);
    await this.members.insert(manager, id, added);
    const projectIds = await reads.projectIds(manager, id);
    await this.memberships.leave(manager, { projectIds, userIds: removed });
    await this.memberships.join(manager, author, { projectIds, userIds: added });
    const after = await reads.team(manager, id);
    await this.audit(manager, actor, 'team.update', { before, after });
    return after;
  }

  /**
   * Deletes a team and removes it from its projects.
   * @throws NoResourceError when it has been deleted
   */
  remove(caller: AuditedCaller, id: number): Promise<TeamDto> {
    return this.transactions.run(async (manager) => {
      const removed = await this.lock(manager, id);
      const projectIds = await this.projectTeams.findProjectIds(manager, id);
      for (const listener of this.listeners) await listener(manager, id);
      await this.teams.delete(manager, id);
      const userIds = removed.members.map((user) => user.id);
      await this.memberships.leaveAll(manager, caller, removed, { projectIds, userIds });
      await this.audit(manager, caller, 'team.delete', { before: removed });
      return removed;
    });
  }

  /** Registers a module with data of teams that is deleted with them; called in the transaction that deletes a team. */
  onDeleted(listener: TeamListener): void {
    this.listeners.push(listener);
  }

  /**
   * Locks a team until the transaction ends, and returns it.
   * @throws NoResourceError when it has been deleted
   */
  async lock(manager: EntityManager, id: number, reads = this.plainReads): Promise<TeamDto> {
    if (!(await this.teams.lock(manager, id))) throw new NoResourceError('team');
    return reads.team(manager, id);
  }

  private async audit(
    manager: EntityManager,
    actor: Actor,
    action: AuditAction,
    { before, after }: { before?: TeamDto; after?: TeamDto },
  ): Promise<void> {
    const { id, name } = (after ?? before) as TeamDto;
    const changes = auditChanges(auditedFields(before), auditedFields(after), ['name', 'members']);
    await this.auditLog.record(manager, actor, { action, subject: { id, name }, changes });
  }
}

/** Returns the fields of a team for the audit log: its name, and the sign-in names of its members. */
const auditedFields = (team: TeamDto | undefined): Record<string, unknown> =>
  team ? { name: team.name, members: team.members.map(({ userId }) => userId) } : {};

function difference(ids: readonly number[], others: readonly number[]): number[] {
  const left = new Set(ids);
  for (const id of others) left.delete(id);
  return [...left];
}
