import { parseUrl } from '../config/parse-url';
import { type Environment } from '../config/environment';
import { toTimestamp } from '../http/request/timestamp';
import { type UserDto } from '../users/dto/user.dto';
import { type GitRepositoryDto } from './dto/git-repository.dto';

/** A git repository as read from the database, with the key of its project. */
export interface GitRepositoryRow {
  id: number;
  projectId: number;
  projectKey: string;
  name: string;
  description: string;
  displayOrder: number;
  createdUserId: number;
  created: number;
  updatedUserId: number;
  updated: number;
}

/** A git repository as the wire shows it. */
export function toGitRepositoryDto(
  row: GitRepositoryRow,
  users: ReadonlyMap<number, UserDto>,
  environment: Pick<Environment, 'webUrl' | 'HOST'>,
): GitRepositoryDto {
  const path = `/${row.projectKey}/${row.name}.git`;
  return {
    id: row.id,
    projectId: row.projectId,
    name: row.name,
    description: row.description,
    hookUrl: null,
    httpUrl: environment.webUrl(`/git${path}`),
    sshUrl: `git@${hostOf(environment)}:${path}`,
    displayOrder: row.displayOrder,
    pushedAt: null,
    createdUser: users.get(row.createdUserId) as UserDto,
    created: toTimestamp(row.created),
    updatedUser: users.get(row.updatedUserId) as UserDto,
    updated: toTimestamp(row.updated),
  };
}

/** Where the service listens need not be a name that fits into a URL. */
const hostOf = (environment: Pick<Environment, 'webUrl' | 'HOST'>): string =>
  parseUrl(environment.webUrl('/'))?.hostname ?? environment.HOST;
