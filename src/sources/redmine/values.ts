import { isCalendarDate } from '../../http/request/date';
import { StandardStatus } from '../../project-settings/standard-status';

/** Converts what Redmine's API shows to the values of the service. */

/** The names of Redmine's initial statuses, in the languages in which it is most often installed. */
const STATUS_NAMES: ReadonlyMap<string, StandardStatus> = new Map([
  ['new', StandardStatus.Open],
  ['open', StandardStatus.Open],
  ['新規', StandardStatus.Open],
  ['in progress', StandardStatus.InProgress],
  ['進行中', StandardStatus.InProgress],
  ['resolved', StandardStatus.Resolved],
  ['解決', StandardStatus.Resolved],
  ['closed', StandardStatus.Closed],
  ['終了', StandardStatus.Closed],
]);

/** Resolutions of the service by the names of statuses that say why an issue is closed. */
const RESOLUTION_NAMES: ReadonlyMap<string, number> = new Map([
  ['fixed', 0],
  ['done', 0],
  ['rejected', 1],
  ['却下', 1],
  ["won't fix", 1],
  ['wontfix', 1],
  ['invalid', 2],
  ['duplicate', 3],
  ['cannot reproduce', 4],
]);

const HIGH = 2;
const NORMAL = 3;
const LOW = 4;
/** Hours beyond this are no effort, and not every database stores them. */
const MAX_HOURS = 1_000_000;

/** What a status of Redmine becomes. */
export interface MappedStatus {
  /** Undefined for one that the project gets besides. */
  standard?: StandardStatus;
  resolutionId: number | null;
}

/** Returns what a status becomes: a standard one by its name, Closed for any other that closes issues. */
export function mapStatus(name: string, isClosed: boolean): MappedStatus {
  const key = name.trim().toLowerCase();
  const standard = STATUS_NAMES.get(key);
  if (standard !== undefined) return { standard, resolutionId: null };
  if (!isClosed) return { resolutionId: null };
  return { standard: StandardStatus.Closed, resolutionId: RESOLUTION_NAMES.get(key) ?? null };
}

/**
 * Returns the priorities of the service by the ids of Redmine's: those below the default are low, those above it high.
 * @param priorities in their order, the least urgent first
 */
export function mapPriorities(
  priorities: readonly { id: number; name: string; is_default: boolean }[],
): Map<number, number> {
  const byName = priorities.findIndex(({ name }) => ['normal', '通常'].includes(name.trim().toLowerCase()));
  const byDefault = priorities.findIndex(({ is_default }) => is_default);
  const normal = byName === -1 ? byDefault : byName;
  return new Map(
    priorities.map(({ id }, index) => [
      id,
      normal === -1 || index === normal ? NORMAL : index < normal ? LOW : HIGH,
    ]),
  );
}

export const NORMAL_PRIORITY = NORMAL;

/** Returns a day of Redmine; null for none, or for one that is not a day of the calendar. */
export const toDay = (value: string | null | undefined): string | null =>
  value !== null && value !== undefined && isCalendarDate(value) ? value : null;

/** Returns an effort in hours; null for none, or for one that the service cannot store. */
export const toHours = (value: number | null | undefined): number | null =>
  value !== null && value !== undefined && value >= 0 && value <= MAX_HOURS ? value : null;
