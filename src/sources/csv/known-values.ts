import { foldName } from '../../project-settings/fold-name';
import { PRIORITIES } from '../../project-settings/priorities';
import { RESOLUTIONS } from '../../project-settings/resolutions';

/** What the priorities of other trackers come closest to, by their folded names. */
const SIMILAR_PRIORITIES: Readonly<Record<string, string>> = {
  highest: 'High',
  urgent: 'High',
  critical: 'High',
  blocker: 'High',
  medium: 'Normal',
  major: 'Normal',
  minor: 'Low',
  trivial: 'Low',
  lowest: 'Low',
};
const SIMILAR_RESOLUTIONS: Readonly<Record<string, string>> = {
  done: 'Fixed',
  resolved: 'Fixed',
  "won't do": "Won't fix",
  wontfix: "Won't fix",
  rejected: "Won't fix",
  declined: "Won't fix",
  'not a bug': 'Invalid',
  incomplete: 'Invalid',
  'cannot be reproduced': 'Cannot reproduce',
};

const idsOf = (
  names: ReadonlyMap<number, string>,
  similar: Readonly<Record<string, string>>,
): ReadonlyMap<string, number> => {
  const ids = new Map([...names].map(([id, name]) => [foldName(name), id]));
  for (const [from, to] of Object.entries(similar)) ids.set(foldName(from), ids.get(foldName(to)) as number);
  return ids;
};

/** The ids of priorities and resolutions by their folded names, and by those that other trackers use. */
export const PRIORITY_IDS = idsOf(PRIORITIES, SIMILAR_PRIORITIES);
export const RESOLUTION_IDS = idsOf(RESOLUTIONS, SIMILAR_RESOLUTIONS);
export const NORMAL_PRIORITY = 3;
