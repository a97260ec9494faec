import { toTimestamp } from '../http/request/timestamp';
import { type ProjectDto } from '../projects/dto/project.dto';
import { type UserDto } from '../users/dto/user.dto';
import { type ActivityType } from './activity-type';

/** An activity in the family's envelope, as webhooks send it and lists show it. */
export const toActivityEnvelope = (
  activity: { id: number | null; type: ActivityType; content: object; created: number },
  project: ProjectDto,
  createdUser: UserDto,
) => ({
  // A test delivery is about no activity and has no id.
  id: activity.id ?? 0,
  project,
  type: activity.type,
  content: activity.content,
  // As in the family: who was notified is not part of it.
  notifications: [] as never[],
  createdUser,
  created: toTimestamp(activity.created),
});
