import { toTimestamp } from '../http/request/timestamp';
import { type UserDto } from '../users/dto/user.dto';
import { type TeamRow } from './data/team.repository';
import { type TeamDto } from './dto/team.dto';

/**
 * Maps a team row to its API representation.
 * @param users its members, its author and its last editor
 */
export const toTeamDto = (
  row: TeamRow,
  memberIds: readonly number[],
  users: ReadonlyMap<number, UserDto>,
): TeamDto => ({
  id: row.id,
  name: row.name,
  members: memberIds.flatMap((id) => users.get(id) ?? []),
  displayOrder: row.displayOrder,
  createdUser: users.get(row.createdUserId) as UserDto,
  created: toTimestamp(row.created),
  updatedUser: users.get(row.updatedUserId) as UserDto,
  updated: toTimestamp(row.updated),
});
