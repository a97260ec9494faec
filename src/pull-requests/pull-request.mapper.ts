import { type AttachedFileDto } from '../attachments/dto/attached-file.dto';
import { toTimestamp } from '../http/request/timestamp';
import { type IssueDto } from '../issues/dto/issue.dto';
import { type StarDto } from '../stars/dto/star.dto';
import { type UserDto } from '../users/dto/user.dto';
import { type PullRequestRow } from './data/pull-request.repository';
import { type PullRequestDto } from './dto/pull-request.dto';
import { PullRequestStatus } from './pull-request-status';

/** The parts of a pull request's response that are not in its own row: by id, files by pull request, stars by thread. */
export interface PullRequestParts {
  users: ReadonlyMap<number, UserDto>;
  issues: ReadonlyMap<number, IssueDto>;
  attachments: ReadonlyMap<number, AttachedFileDto[]>;
  stars: ReadonlyMap<number, StarDto[]>;
}

/** Converts a pull request to its response. */
export const toPullRequestDto = (
  row: PullRequestRow,
  { users, issues, attachments, stars }: PullRequestParts,
): PullRequestDto => ({
  id: row.id,
  projectId: row.projectId,
  repositoryId: row.repositoryId,
  number: row.number,
  summary: row.summary,
  description: row.description,
  base: row.base,
  branch: row.branch,
  status: { id: row.statusId, name: PullRequestStatus[row.statusId] },
  assignee: named(users, row.assigneeId),
  issue: named(issues, row.issueId),
  baseCommit: row.baseCommit,
  branchCommit: row.branchCommit,
  mergeCommit: row.mergeCommit,
  closeAt: row.closeAt === null ? null : toTimestamp(row.closeAt),
  mergeAt: row.mergeAt === null ? null : toTimestamp(row.mergeAt),
  createdUser: users.get(row.createdUserId) as UserDto,
  created: toTimestamp(row.created),
  updatedUser: users.get(row.updatedUserId) as UserDto,
  updated: toTimestamp(row.updated),
  attachments: attachments.get(row.id) ?? [],
  stars: stars.get(row.threadId) ?? [],
});

const named = <T>(things: ReadonlyMap<number, T>, id: number | null): T | null =>
  id === null ? null : (things.get(id) ?? null);
