import { toTimestamp } from '../http/request/timestamp';
import { type UserDto } from '../users/dto/user.dto';
import { type AttachedRow } from './data/attachment-link.repository';
import { type AttachedFileDto } from './dto/attached-file.dto';

/** Converts an attached file to its response. */
export const toAttachedFileDto = (
  row: AttachedRow,
  users: ReadonlyMap<number, UserDto>,
): AttachedFileDto => ({
  id: row.id,
  name: row.name,
  size: row.size,
  createdUser: users.get(row.createdUserId) as UserDto,
  created: toTimestamp(row.created),
});
