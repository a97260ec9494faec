import { toTimestamp } from '../http/request/timestamp';
import { type UserDto } from '../users/dto/user.dto';
import { type StarRow } from './data/star-sql';
import { type StarDto } from './dto/star.dto';

/** Converts a star to its response (`docs/protocol.md#comment`). */
export const toStarDto = (row: StarRow, users: ReadonlyMap<number, UserDto>): StarDto => ({
  id: row.id,
  comment: row.comment,
  url: row.url,
  title: row.title,
  // Exists because of the foreign key.
  presenter: users.get(row.presenterId) as UserDto,
  created: toTimestamp(row.created),
});
