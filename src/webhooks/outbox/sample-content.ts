import { type ActivityType } from '../../activities/activity-type';
import { declared } from '../../manifests';

const SAMPLES: Readonly<Record<ActivityType, object>> = {
  ...declared('activities'),
  ...declared('developerActivities'),
};

/** Returns the sample content of an activity type. */
export const sampleContent = (type: ActivityType): object => SAMPLES[type];
