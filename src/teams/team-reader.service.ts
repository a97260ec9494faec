import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { InvalidRequestError, NoResourceError } from '../errors/domain-errors';
import { type OffsetPaging, Page } from '../paging/page';
import { UsersService } from '../users/users.service';
import { userIdsIn } from '../users/user-ids';
import { TeamMemberRepository } from './data/team-member.repository';
import { TeamRepository, type TeamRow } from './data/team.repository';
import { type TeamDto } from './dto/team.dto';
import { toTeamDto } from './team.mapper';

/** Reads teams with their members. */
@Injectable()
export class TeamReaderService {
  constructor(
    private readonly teams: TeamRepository,
    private readonly members: TeamMemberRepository,
    private readonly users: UsersService,
  ) {}

  /** Returns one page of all teams, in their order. */
  async list(query: OffsetPaging): Promise<Page<TeamDto>> {
    const { items, next } = await this.teams.findPage(query);
    return new Page(await this.build(items), next);
  }

  /** Returns the teams of a project, in their order. */
  async listOfProject(projectId: number): Promise<TeamDto[]> {
    return this.build(await this.teams.findOfProject(projectId));
  }

  /**
   * Returns a team.
   * @throws NoResourceError when it has been deleted
   */
  async get(id: number, manager?: EntityManager): Promise<TeamDto> {
    const row = await this.teams.find(id, manager);
    const [team] = await this.build(row ? [row] : [], manager);
    if (!team) throw new NoResourceError('team');
    return team;
  }

  /**
   * Returns a team that the transaction has locked, with the members that it has now, whatever the transaction has read before.
   * @throws NoResourceError when it has been deleted
   */
  async getCurrent(id: number, manager: EntityManager): Promise<TeamDto> {
    // The transaction sees the current row, because its lock has written it.
    const row = await this.teams.find(id, manager);
    if (!row) throw new NoResourceError('team');
    const memberIds = await this.members.lockOfTeam(manager, id);
    return toTeamDto(
      row,
      memberIds,
      await this.users.findByIds([...userIdsIn([row]), ...memberIds], manager),
    );
  }

  /**
   * Requires that the teams exist that a request's body of an Administrator names by their ids.
   * @throws InvalidRequestError for the field
   */
  async requireExisting(ids: readonly number[], field: string, manager: EntityManager): Promise<void> {
    const existing = new Set(ids.length === 0 ? [] : await this.teams.findExistingIds(ids, manager));
    const missing = ids.filter((id) => !existing.has(id));
    if (missing.length === 0) return;
    throw InvalidRequestError.of(field, `These teams do not exist: ${missing.join(', ')}.`, (limit) =>
      this.teams.findFirstIds(limit),
    );
  }

  private async build(rows: readonly TeamRow[], manager?: EntityManager): Promise<TeamDto[]> {
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const members = await this.members.findOfTeams(ids, manager);
    const people = [...userIdsIn(rows), ...[...members.values()].flat()];
    const users = await this.users.findByIds(people, manager);
    return rows.map((row) => toTeamDto(row, members.get(row.id) ?? [], users));
  }
}
