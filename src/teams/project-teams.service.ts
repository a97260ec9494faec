import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type AuditedCaller } from '../access/caller';
import { ActivityType } from '../activities/activity-type';
import { AuditLogService } from '../audit-log/audit-log.service';
import { invalidIfDuplicate } from '../database/connections/database-errors';
import { TransactionsService } from '../database/transactions/transactions.service';
import { InvalidRequestError } from '../errors/domain-errors';
import { CountLimitsService } from '../limits/count-limits.service';
import { ProjectsService } from '../projects/projects.service';
import { ProjectTeamRepository } from './data/project-team.repository';
import { TeamRepository } from './data/team.repository';
import { type TeamDto } from './dto/team.dto';
import { TeamMembershipsService } from './team-memberships.service';
import { TeamReaderService } from './team-reader.service';

/** The field of a request that names the team. */
const FIELD = 'teamId';

/** Adds teams to projects and removes them. */
@Injectable()
export class ProjectTeamsService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly projects: ProjectsService,
    private readonly limits: CountLimitsService,
    private readonly auditLog: AuditLogService,
    private readonly memberships: TeamMembershipsService,
    private readonly reader: TeamReaderService,
    private readonly teams: TeamRepository,
    private readonly projectTeams: ProjectTeamRepository,
  ) {}

  /**
   * Makes the members of a team members of a project.
   * @throws InvalidRequestError when there is no such team, or it is already in the project; ResourceOverflowError when the
   * project has too many teams or the team too many projects
   */
  add(projectId: number, caller: AuditedCaller, teamId: number): Promise<TeamDto> {
    return this.transactions.run(async (manager) => {
      const team = await this.lock(manager, projectId, teamId);
      const projectIds = await this.projectTeams.findProjectIds(manager, teamId);
      await invalidIfDuplicate(
        this.projectTeams.insert(manager, projectId, teamId),
        FIELD,
        `Team ${teamId} is already in the project.`,
      );
      this.limits.require('teamProject', projectIds.length + 1);
      this.limits.require('projectTeam', await this.projectTeams.countOfProject(manager, projectId));
      await this.memberships.join(manager, caller, changeOf(projectId, team));
      await this.memberships.record(manager, ActivityType.TeamJoinedProject, projectId, caller, team);
      await this.audit(manager, caller, 'projectTeam.add', projectId, team);
      return team;
    });
  }

  /**
   * Removes a team from a project, and ends the memberships that have no other basis.
   * @throws InvalidRequestError when the team is not in the project
   */
  remove(projectId: number, caller: AuditedCaller, teamId: number): Promise<TeamDto> {
    return this.transactions.run(async (manager) => {
      const team = await this.lock(manager, projectId, teamId);
      if (!(await this.projectTeams.delete(manager, projectId, teamId))) {
        throw InvalidRequestError.of(FIELD, `Team ${teamId} is not in the project.`, async () =>
          (await this.teams.findOfProject(projectId)).map(({ id }) => id),
        );
      }
      await this.memberships.leave(manager, changeOf(projectId, team));
      await this.memberships.record(manager, ActivityType.TeamLeftProject, projectId, caller, team);
      await this.audit(manager, caller, 'projectTeam.delete', projectId, team);
      return team;
    });
  }

  /** Locks the team and then the project before anything is read. */
  private async lock(manager: EntityManager, projectId: number, teamId: number): Promise<TeamDto> {
    const exists = await this.teams.lock(manager, teamId);
    await this.projects.lock(manager, projectId);
    if (!exists) {
      throw InvalidRequestError.of(FIELD, `There is no team ${teamId}.`, (limit) =>
        this.teams.findFirstIds(limit),
      );
    }
    return this.reader.get(teamId, manager);
  }

  private audit(
    manager: EntityManager,
    caller: AuditedCaller,
    action: 'projectTeam.add' | 'projectTeam.delete',
    projectId: number,
    { id, name }: TeamDto,
  ): Promise<void> {
    return this.auditLog.record(manager, caller, { action, subject: { id, name }, projectId });
  }
}

const changeOf = (projectId: number, team: TeamDto): { projectIds: number[]; userIds: number[] } => ({
  projectIds: [projectId],
  userIds: team.members.map(({ id }) => id),
});
