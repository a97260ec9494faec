import { type SharedFileContent } from '../activities/activity-content';
import { toTimestamp } from '../http/request/timestamp';
import { type UserDto } from '../users/dto/user.dto';
import { type SharedFileRow } from './data/shared-file.repository';
import { type SharedFileDto } from './dto/shared-file.dto';

/** Converts a folder or file to its response. */
export const toSharedFileDto = (row: SharedFileRow, users: ReadonlyMap<number, UserDto>): SharedFileDto => ({
  id: row.id,
  projectId: row.projectId,
  type: row.attachmentId === null ? 'directory' : 'file',
  dir: row.dir,
  name: row.name,
  size: row.size,
  createdUser: users.get(row.createdUserId) as UserDto,
  created: toTimestamp(row.created),
  updatedUser: users.get(row.updatedUserId) as UserDto,
  updated: toTimestamp(row.updated),
});

/** Converts a file to its form in activities. */
export const toSharedFileContent = ({
  id,
  dir,
  name,
  size,
}: Pick<SharedFileDto, 'id' | 'dir' | 'name' | 'size'>): SharedFileContent => ({
  id,
  dir,
  name,
  size: size ?? 0,
});
