import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Caller, seesOnlyOwnProjects } from '../access/caller';
import { type PastChange } from '../access/past-change';
import { type EntityRunner } from '../database/sql/statements';
import { InvalidRequestError } from '../errors/domain-errors';
import { ApiKeyAdministrationService } from '../users/api-key-administration.service';
import { type UserDto } from '../users/dto/user.dto';
import { RoleType } from '../access/role-type';
import { toUserDto } from '../users/user.mapper';
import { UsersService } from '../users/users.service';
import { UserVisibilityService } from '../users/user-visibility.service';
import { type PersonRow, ProjectMemberRepository } from './data/project-member.repository';
import { mentionsIn } from './mentions';

/** The users that a request names, and the caller. */
export interface NamedPeople {
  /** The users to notify: listed ones, and those mentioned in the text. */
  notified: UserDto[];
  /** Set if the named user cannot be the assignee; a current assignee may stay. */
  assigneeRefusal?: InvalidRequestError;
  /** All named users and the caller, by id. */
  users: ReadonlyMap<number, UserDto>;
}

/** The fields of a request that name users. */
interface UserReferences {
  notifiedUserId?: readonly number[];
  assigneeId?: number | null;
}

/** A text that may mention users. */
interface MentioningText {
  text: string;
  /** The roles that can see the text; undefined for all. */
  roles?: readonly RoleType[];
  /** The past change to which it belongs. */
  past?: PastChange;
}

interface Person {
  user: UserDto;
  /** Whether the user can be notified of events in the project by the caller. */
  isNotifiable: boolean;
}

/** Finds the ids of up to `limit` members of teams who are members of a project, ascending. */
export type TeamMemberFinder = (
  projectId: number,
  teamIds: readonly number[],
  limit: number,
  runner?: EntityRunner,
) => Promise<number[]>;

/** Maximum number of users that one text can mention. */
const MAX_MENTIONED = 1000;
/** The largest number of users of a space. */
const MAX_MEMBERS = 100_000;

/**
 * Resolves the users that a request names. Active members of a project can be notified of its events, and so can
 * Administrators, who see every project.
 */
@Injectable()
export class ProjectPeopleService {
  private findTeamMembers?: TeamMemberFinder;

  constructor(
    private readonly members: ProjectMemberRepository,
    private readonly users: UsersService,
    visibility: UserVisibilityService,
    keys: ApiKeyAdministrationService,
  ) {
    // Here, because commands initialize no modules.
    visibility.setVisibilityCheck((viewer, userId) => members.canDiscover(viewer, userId));
    keys.setMembershipFinder((userId, projectIds) => members.findProjectIds(userId, projectIds));
  }

  /** Registers the finder of team members. */
  setTeamMemberFinder(finder: TeamMemberFinder): void {
    this.findTeamMembers = finder;
  }

  /**
   * Finds the users that a request names, in one query, and one more each if its text mentions teams or everyone. A mention is
   * `<@U12>`, `<@T3>` or `<@project>`. Callers who mention themselves are not notified, and mentions of users outside the
   * project have no effect. A past change mentions nobody, and may name every user of the space, because members leave.
   * @throws InvalidRequestError when one of the users to notify is not in the project
   */
  async peopleOf(
    projectId: number,
    caller: Caller,
    { notifiedUserId = [], assigneeId }: UserReferences,
    { text, roles, past }: MentioningText,
  ): Promise<NamedPeople> {
    if (past) return this.pastPeopleOf(past, { notifiedUserId, assigneeId });
    const mentioned = await this.mentionedIds(projectId, caller.id, text);
    const ids = [caller.id, ...notifiedUserId, ...mentioned];
    if (assigneeId) ids.push(assigneeId);
    const people = await this.find(projectId, ids, caller);
    const named = this.pickNotifiable(projectId, caller, people, notifiedUserId, 'notifiedUserId');
    const others = mentioned.flatMap((id) => {
      const person = people.get(id);
      if (!person?.isNotifiable || notifiedUserId.includes(id)) return [];
      return roles === undefined || roles.includes(person.user.roleType) ? [person.user] : [];
    });
    return {
      notified: others.length === 0 ? named : [...named, ...others],
      assigneeRefusal:
        assigneeId && !people.get(assigneeId)?.isNotifiable
          ? this.refusal(projectId, caller, 'assigneeId', [assigneeId])
          : undefined,
      users: new Map([...people].map(([id, { user }]) => [id, user])),
    };
  }

  /**
   * Returns the users to notify that a request names.
   * @throws InvalidRequestError for the field, with the ids of users who cannot be notified
   */
  async getNotifiable(
    projectId: number,
    caller: Caller,
    userIds: readonly number[],
    field: string,
  ): Promise<UserDto[]> {
    if (userIds.length === 0) return [];
    const people = await this.find(projectId, userIds, caller);
    return this.pickNotifiable(projectId, caller, people, userIds, field);
  }

  /** Returns the ids of the users who can be notified of events in the project. */
  async filterNotifiable(
    manager: EntityManager,
    projectId: number,
    userIds: readonly number[],
  ): Promise<number[]> {
    if (userIds.length === 0) return [];
    const rows = await this.members.findPeople(projectId, userIds, manager);
    return rows.filter(isNotifiable).map(({ id }) => id);
  }

  private async pastPeopleOf(
    { actor, author }: PastChange,
    { notifiedUserId = [], assigneeId }: UserReferences,
  ): Promise<NamedPeople> {
    const ids = [actor.id, author.id, ...notifiedUserId, ...(assigneeId ? [assigneeId] : [])];
    const users = await this.users.findByIds(ids);
    const missing = notifiedUserId.filter((id) => !users.has(id));
    if (missing.length > 0) throw unknownUsers('notifiedUserId', missing);
    return {
      notified: notifiedUserId.flatMap((id) => users.get(id) ?? []),
      assigneeRefusal:
        assigneeId && !users.has(assigneeId) ? unknownUsers('assigneeId', [assigneeId]) : undefined,
      users,
    };
  }

  /** Returns the ids of all members of a project; the number of users is limited. */
  findMemberIds(manager: EntityManager, projectId: number): Promise<number[]> {
    return this.members.findMemberIds(projectId, MAX_MEMBERS, manager);
  }

  /**
   * Finds the ids of the users that a text of a project mentions, also by their teams or as members of the project, except the
   * caller. Whether they can be notified is not checked.
   */
  async mentionedIds(
    projectId: number,
    callerId: number,
    text: string,
    runner?: EntityRunner,
  ): Promise<number[]> {
    if (!text.includes('<@')) return [];
    const { userIds: ids, teamIds, everyone } = mentionsIn(text);
    if (teamIds.length > 0) {
      const teams = teamIds.slice(0, MAX_MENTIONED);
      ids.push(...((await this.findTeamMembers?.(projectId, teams, MAX_MENTIONED + 1, runner)) ?? []));
    }
    if (everyone) ids.push(...(await this.members.findMemberIds(projectId, MAX_MENTIONED + 1, runner)));
    return [...new Set(ids)].filter((id) => id !== callerId).slice(0, MAX_MENTIONED);
  }

  /** Finds people. Who sees only people of their projects does not see Administrators who are not members. */
  private async find(
    projectId: number,
    userIds: readonly number[],
    caller: Caller,
  ): Promise<Map<number, Person>> {
    const rows = await this.members.findPeople(projectId, userIds);
    return new Map(
      rows.map((row) => [
        row.id,
        {
          user: toUserDto(row),
          isNotifiable: isNotifiable(row) && (Boolean(row.member) || !seesOnlyOwnProjects(caller)),
        },
      ]),
    );
  }

  /** @throws InvalidRequestError with the ids of users who cannot be notified */
  private pickNotifiable(
    projectId: number,
    caller: Caller,
    people: ReadonlyMap<number, Person>,
    userIds: readonly number[],
    field: string,
  ): UserDto[] {
    const notifiable: UserDto[] = [];
    const missing: number[] = [];
    for (const id of userIds) {
      const person = people.get(id);
      if (person?.isNotifiable) notifiable.push(person.user);
      else missing.push(id);
    }
    if (missing.length > 0) throw this.refusal(projectId, caller, field, missing);
    return notifiable;
  }

  private refusal(
    projectId: number,
    caller: Caller,
    field: string,
    missing: readonly number[],
  ): InvalidRequestError {
    return InvalidRequestError.of(
      field,
      `These users are not members of the project: ${missing.slice(0, 20).join(', ')}.`,
      async (limit) => {
        const ids = new Set(await this.members.findMemberIds(projectId, limit));
        if (!seesOnlyOwnProjects(caller) && ids.size < limit) {
          for (const id of await this.members.findSpaceAdministratorIds(limit)) ids.add(id);
        }
        return [...ids];
      },
    );
  }
}

const unknownUsers = (field: string, ids: readonly number[]): InvalidRequestError =>
  InvalidRequestError.of(field, `These users do not exist: ${ids.slice(0, 20).join(', ')}.`);

/** Whether a user can be notified of events in a project. */
const isNotifiable = ({ active, member, roleType }: PersonRow): boolean =>
  Boolean(active) && (Boolean(member) || roleType === RoleType.Administrator);
