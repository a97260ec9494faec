import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inList } from '../database/statements';
import { InvalidRequestError } from '../errors/domain-errors';
import { type UserDto } from '../users/dto/user.dto';
import { RoleType } from '../access/role-type';
import { toUserDto, USER_COLUMNS, type UserRow } from '../users/user.mapper';
import { mentionsIn } from './mentions';

/** Those whom a request names, and who sends it. */
export interface PeopleNamed {
  /** Who is to be told: whom it lists, and whom its text mentions. */
  notified: UserDto[];
  /** Why whom it names as the assignee cannot be one; who is it already may stay. */
  assigneeRefusal?: InvalidRequestError;
  /** All of them by id, with the caller. */
  users: ReadonlyMap<number, UserDto>;
}

/** Where a request names people. */
interface NamingRequest {
  notifiedUserId?: readonly number[];
  assigneeId?: number | null;
}

/** A text that may mention people. */
interface MentioningText {
  text: string;
  /** Those of other roles cannot see what it is about. */
  roles?: readonly RoleType[];
}

interface Person {
  user: UserDto;
  /** May be told of something in the project. */
  isNotifiable: boolean;
}

/** So many people one text can mention. */
const MAX_MENTIONED = 1000;

/**
 * Who is meant in a project. Its members can be told of what happens there, and Administrators, who see every project; nobody
 * who has left.
 */
@Injectable()
export class ProjectPeopleService {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * The users whom a request names, in one query, or two when its text mentions everyone. Mentioned are `<@U12>` and
   * `<@project>`; who mentions themself is not told, and who does not belong to the project is not mentioned.
   * @throws InvalidRequestError when some of those to be notified cannot be told of anything in the project
   */
  async peopleOf(
    projectId: number,
    callerId: number,
    { notifiedUserId = [], assigneeId }: NamingRequest,
    { text, roles }: MentioningText,
  ): Promise<PeopleNamed> {
    const mentioned = await this.mentionedIds(projectId, callerId, text);
    const ids = [callerId, ...notifiedUserId, ...mentioned];
    if (assigneeId) ids.push(assigneeId);
    const people = await this.find(projectId, ids);
    const named = pickNotifiable(people, notifiedUserId, 'notifiedUserId');
    const others = mentioned.flatMap((id) => {
      const person = people.get(id);
      if (!person?.isNotifiable || notifiedUserId.includes(id)) return [];
      return roles === undefined || roles.includes(person.user.roleType) ? [person.user] : [];
    });
    return {
      notified: others.length === 0 ? named : [...named, ...others],
      assigneeRefusal:
        assigneeId && !people.get(assigneeId)?.isNotifiable ? refusal('assigneeId', [assigneeId]) : undefined,
      users: new Map([...people].map(([id, { user }]) => [id, user])),
    };
  }

  /**
   * The users whom a request names to be told of something.
   * @throws InvalidRequestError for the field, naming the ids of those who cannot be
   */
  async getNotifiable(projectId: number, userIds: readonly number[], field: string): Promise<UserDto[]> {
    if (userIds.length === 0) return [];
    return pickNotifiable(await this.find(projectId, userIds), userIds, field);
  }

  private async mentionedIds(projectId: number, callerId: number, text: string): Promise<number[]> {
    if (!text.includes('<@')) return [];
    const { userIds, everyone } = mentionsIn(text);
    const ids = everyone ? [...userIds, ...(await this.memberIds(projectId))] : userIds;
    return [...new Set(ids)].filter((id) => id !== callerId).slice(0, MAX_MENTIONED);
  }

  private async memberIds(projectId: number): Promise<number[]> {
    const rows = await this.dataSource.query<{ id: number }[]>(
      `SELECT user_id AS id FROM project_member WHERE project_id = ? ORDER BY user_id LIMIT ${MAX_MENTIONED + 1}`,
      [projectId],
    );
    return rows.map(({ id }) => id);
  }

  private async find(projectId: number, userIds: readonly number[]): Promise<Map<number, Person>> {
    const list = inList(userIds);
    const rows = await this.dataSource.query<(UserRow & { notifiable: number | boolean })[]>(
      `SELECT ${USER_COLUMNS}, active = 1 AND (role_type = ? OR EXISTS (
                SELECT 1 FROM project_member m WHERE m.project_id = ? AND m.user_id = user.id)) AS notifiable
         FROM user WHERE id ${list.sql}`,
      [RoleType.Administrator, projectId, ...list.parameters],
    );
    return new Map(
      rows.map((row) => [row.id, { user: toUserDto(row), isNotifiable: Boolean(row.notifiable) }]),
    );
  }
}

/** @throws InvalidRequestError naming the ids that are not among those who can be told */
function pickNotifiable(
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
  if (missing.length > 0) throw refusal(field, missing);
  return notifiable;
}

const refusal = (field: string, missing: readonly number[]): InvalidRequestError =>
  InvalidRequestError.of(
    field,
    `These users are not members of the project: ${missing.slice(0, 20).join(', ')}.`,
  );
