import { type Manifest } from '../manifest';

/** Activities, and the long texts to which their contents refer. */
export const activitiesManifest = {
  archived: {
    activity: { by: ['projectId'], without: ['agentKeyId'] },
    activityText: { by: ['projectId'] },
  },
} satisfies Manifest;
