import { parseUrl } from '../config/parse-url';
import { type Environment } from '../config/environment';
import { toTimestamp } from '../http/request/timestamp';
import { type UserDto } from '../users/dto/user.dto';
import { type GitRepositoryRow } from './data/git-repository.repository';
import { type GitRepositoryDto } from './dto/git-repository.dto';

/** Converts a git repository to its response. */
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
    pushedAt: row.pushedAt === null ? null : toTimestamp(row.pushedAt),
    defaultBranch: row.defaultBranch,
    protectsDefaultBranch: row.protectsDefaultBranch,
    createdUser: users.get(row.createdUserId) as UserDto,
    created: toTimestamp(row.created),
    updatedUser: users.get(row.updatedUserId) as UserDto,
    updated: toTimestamp(row.updated),
  };
}

/** Returns the host of the service. The address that it listens on does not always form a valid URL. */
const hostOf = (environment: Pick<Environment, 'webUrl' | 'HOST'>): string =>
  parseUrl(environment.webUrl('/'))?.hostname ?? environment.HOST;
