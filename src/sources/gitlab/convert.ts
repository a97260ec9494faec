import { isCalendarDate } from '../../http/request/date';
import { PullRequestStatus } from '../../pull-requests/pull-request-status';
import { USUAL_TYPE } from '../forges/forge-project';
import { type Account } from '../forges/people';
import { type WireIssue, type WireMergeRequest, type WireMilestone, type WireUser } from './wire';

/** Converts what GitLab's API shows to what a source yields. */

const DUPLICATE = 3;
const HOUR = 3600;
/** The most hours that the service accepts. */
const MAX_HOURS = 999_999;

export const toAccount = ({ id, username, name, state, public_email: mail, bot }: WireUser): Account => ({
  ...{ id, login: username, name },
  ...(mail && { mail }),
  isGone: bot === true || (state !== '' && state !== 'active'),
});

/** Returns a day `yyyy-MM-dd`; null for anything else. */
export const toDay = (value: string | null | undefined): string | null =>
  value != null && isCalendarDate(value) ? value : null;

export const toMilestone = ({ id, title, description, state, start_date, due_date }: WireMilestone) => ({
  ...{ id, title, description, isClosed: state === 'closed' },
  ...{ startDate: toDay(start_date), dueDate: toDay(due_date) },
});

/** Returns the hours of a number of seconds; null for none, or for more than the service accepts. */
export function toHours(seconds: number | undefined): number | null {
  const hours = (seconds ?? 0) / HOUR;
  return hours > 0 && hours <= MAX_HOURS ? hours : null;
}

/** Returns the name of an issue type: `test_case` is `Test case`. */
export function toTypeName(type: string | null | undefined): string {
  if (!type || type === 'issue' || type === 'task') return USUAL_TYPE;
  const words = type.toLowerCase().replaceAll('_', ' ').slice(0, 100);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** Returns the resolution of a closed issue: the source only knows duplicates. */
export const toResolution = ({ state, _links: links }: WireIssue): number | null =>
  state === 'closed' && links?.closed_as_duplicate_of ? DUPLICATE : null;

export function toPullRequestStatus({ state }: WireMergeRequest): PullRequestStatus {
  if (state === 'merged') return PullRequestStatus.Merged;
  return state === 'closed' ? PullRequestStatus.Closed : PullRequestStatus.Open;
}

/**
 * Returns the name of the branch to merge. That of a fork has the author in front, which is no name of a branch here: a branch of the repository
 * with the same name is another one.
 */
export const toBranch = (mergeRequest: WireMergeRequest, projectId: number): string =>
  mergeRequest.source_project_id === projectId
    ? mergeRequest.source_branch
    : `${mergeRequest.author?.username ?? 'unknown'}:${mergeRequest.source_branch}`;
