import { toAttachedFileDto } from '../attachments/attached-file.mapper';
import { type AttachedRow } from '../attachments/data/attachment-link.repository';
import { toTimestamp } from '../http/request/timestamp';
import { type IssueDto } from '../issues/dto/issue.dto';
import { type StarRow } from '../stars/data/star-sql';
import { toStarDto } from '../stars/star.mapper';
import { type UserDto } from '../users/dto/user.dto';
import { type PullRequestRow } from './data/pull-request.repository';
import { type PullRequestDto } from './dto/pull-request.dto';
import { PullRequestStatus } from './pull-request-status';

/** The parts of a pull request's response that are not in its own row: by id, files by pull request, stars by thread. */
export interface PullRequestParts {
  users: ReadonlyMap<number, UserDto>;
  issues: ReadonlyMap<number, IssueDto>;
  files: ReadonlyMap<number, AttachedRow[]>;
  stars: ReadonlyMap<number, StarRow[]>;
}

/** Converts a pull request to its response. */
export const toPullRequestDto = (
  row: PullRequestRow,
  { users, issues, files, stars }: PullRequestParts,
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
  attachments: (files.get(row.id) ?? []).map((file) => toAttachedFileDto(file, users)),
  stars: (stars.get(row.threadId) ?? []).map((star) => toStarDto(star, users)),
});

const named = <T>(things: ReadonlyMap<number, T>, id: number | null): T | null =>
  id === null ? null : (things.get(id) ?? null);
