import { type ActivityUser } from '../activities/activity-content';
import { ActivityType } from '../activities/activity-type';
import { user } from '../activities/sample-values';
import { type Manifest } from '../manifest';

export interface MembersContent {
  users: ActivityUser[];
  group_project_activities: never[];
  comment: string;
}

const members: MembersContent = { users: [user], group_project_activities: [], comment: '' };

export const projectMembersManifest = {
  activities: {
    [ActivityType.UserJoinedProject]: members,
    [ActivityType.UserLeftProject]: members,
  },
} satisfies Manifest;
