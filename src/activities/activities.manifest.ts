import { type Manifest } from '../manifest';

/** Activities, and the long texts to which their contents refer. */
export const activitiesManifest = {
  archived: {
    // The ids in their contents are declared beside their types (`activityIds`).
    activity: {
      by: ['projectId'],
      refersTo: { agentKeyId: 'agent' },
      reduced: { content: 'withoutMailAddresses' },
      texts: ['content'],
    },
    activityText: { by: ['projectId'], texts: ['text'] },
  },
} satisfies Manifest;
