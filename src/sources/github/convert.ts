import { type ChangeLogEntry } from '../../comments/change-log';
import { isCalendarDate } from '../../http/request/date';
import { RESOLUTIONS } from '../../project-settings/resolutions';
import { PullRequestStatus } from '../../pull-requests/pull-request-status';
import { type Account } from '../forges/people';
import { shownChange, stateChange } from '../forges/timeline';
import { type WireAccount, type WireEvent, type WireMilestone, type WirePullRequest } from './wire';

/** Converts what GitHub's API shows to what a source yields. */

/** The ids of the service's resolutions, by the reasons for which issues are closed. */
const REASONS: ReadonlyMap<string, number> = new Map([
  ['completed', 0],
  ['not_planned', 1],
  ['duplicate', 3],
]);

/** Returns the resolution of a closed issue; null for none. */
export const toResolution = (reason: string | null | undefined): number | null =>
  REASONS.get(reason ?? '') ?? null;

/** @param profile what the account shows everybody */
export const toAccount = (
  account: NonNullable<WireAccount>,
  profile?: { name?: string | null; email?: string | null },
): Account => ({
  id: account.id,
  login: account.login,
  ...(profile?.name && { name: profile.name }),
  ...(profile?.email && { mail: profile.email }),
  isGone: account.type !== 'User' && account.type !== '',
});

export const toMilestone = ({ id, title, description, state, due_on: due }: WireMilestone) => ({
  ...{ id, title, description, startDate: null, isClosed: state === 'closed' },
  // A time of the day that is the same everywhere in America.
  dueDate: due && isCalendarDate(due.slice(0, 10)) ? due.slice(0, 10) : null,
});

/** What an event belongs to. */
export interface EventSubject {
  isPullRequest: boolean;
  /** When the pull request was merged. */
  mergedAt: number | null;
}

/** Returns the changes that an event of an issue or a pull request tells of; none for those that change no field here. */
export function toChanges(event: WireEvent, { isPullRequest, mergedAt }: EventSubject): ChangeLogEntry[] {
  const { label, milestone, rename } = event;
  const assignee = event.assignee?.login ?? '';
  const assigneeField = isPullRequest ? 'assignee' : 'assigner';
  switch (event.event) {
    case 'closed':
      // The event "merged" tells of it.
      if (mergedAt !== null && event.created_at >= mergedAt) return [];
      return [stateChange('Closed'), ...resolved(event)];
    case 'merged':
      return [stateChange('Merged')];
    case 'reopened':
      return [stateChange('Open')];
    case 'renamed':
      return rename ? [shownChange('summary', rename.to, rename.from)] : [];
    case 'assigned':
      return assignee === '' ? [] : [shownChange(assigneeField, assignee, '')];
    case 'unassigned':
      return assignee === '' ? [] : [shownChange(assigneeField, '', assignee)];
    case 'labeled':
      return label && !isPullRequest ? [shownChange('component', label.name, '')] : [];
    case 'unlabeled':
      return label && !isPullRequest ? [shownChange('component', '', label.name)] : [];
    case 'milestoned':
      return milestone && !isPullRequest ? [shownChange('milestone', milestone.title, '')] : [];
    case 'demilestoned':
      return milestone && !isPullRequest ? [shownChange('milestone', '', milestone.title)] : [];
    default:
      return [];
  }
}

function resolved({ state_reason: reason }: WireEvent): ChangeLogEntry[] {
  const resolution = toResolution(reason);
  return resolution === null ? [] : [shownChange('resolution', RESOLUTIONS.get(resolution) ?? '', '')];
}

export function toPullRequestStatus({ state, merged_at: mergedAt }: WirePullRequest): PullRequestStatus {
  if (mergedAt != null) return PullRequestStatus.Merged;
  return state === 'closed' ? PullRequestStatus.Closed : PullRequestStatus.Open;
}

/**
 * Returns the name of the branch to merge. That of a fork has the owner of the fork in front, which is no name of a branch here: a branch of
 * the repository with the same name is another one.
 */
export const toBranch = ({ head }: WirePullRequest, repositoryId: number): string =>
  head.repo?.id === repositoryId ? head.ref : (head.label ?? `unknown:${head.ref}`);
