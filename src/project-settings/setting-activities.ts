import { type ActivityChange, type LinkedIssue, type Named } from '../activities/activity-content';
import { ActivityType } from '../activities/activity-type';
import { link, statusChange } from '../activities/sample-values';

/** A version in activities. */
export interface VersionContent extends Named {
  description: string;
  start_date: string;
  reference_date: string;
}

export interface StatusDeletedContent {
  deletedStatus: { name: string };
  link: LinkedIssue[];
  change: ActivityChange;
}

const milestone: VersionContent = {
  id: 1,
  name: 'Version 1',
  description: '',
  start_date: '2026-01-01',
  reference_date: '2026-01-31',
};
const changes: ActivityChange[] = [];
const statusDeleted: StatusDeletedContent = {
  deletedStatus: { name: 'Sample status' },
  link,
  change: statusChange,
};

/** Sample content of the activities of settings. */
export const settingActivities = {
  [ActivityType.MilestoneCreated]: milestone,
  [ActivityType.MilestoneUpdated]: { ...milestone, changes },
  [ActivityType.MilestoneDeleted]: milestone,
  [ActivityType.StatusDeleted]: statusDeleted,
};
