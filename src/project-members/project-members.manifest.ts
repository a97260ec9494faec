import { ActivityType } from '../activities/activity-type';
import { user } from '../activities/sample-values';
import { type Manifest } from '../manifest';

const members = { users: [user], group_project_activities: [] as never[], comment: '' };

export const projectMembersManifest = {
  activities: { [ActivityType.UserJoinedProject]: members, [ActivityType.UserLeftProject]: members },
  activityIds: {
    [ActivityType.UserJoinedProject]: { 'users[].id': 'user' },
    [ActivityType.UserLeftProject]: { 'users[].id': 'user' },
  },
} satisfies Manifest;
