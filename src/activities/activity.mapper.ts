import { toTimestamp } from '../http/request/timestamp';
import { type ProjectDto } from '../projects/dto/project.dto';
import { type UserDto } from '../users/dto/user.dto';
import { type ActivityType } from './activity-type';

/** An activity as webhooks are sent it and lists show it, in the family's envelope. */
export const toActivityEnvelope = (
  activity: { id: number | null; type: ActivityType; content: object; created: number },
  project: ProjectDto,
  createdUser: UserDto,
) => ({
  // A test tells of nothing that happened, and has no id.
  id: activity.id ?? 0,
  project,
  type: activity.type,
  content: activity.content,
  // As with the family: who was told is not told here.
  notifications: [] as never[],
  createdUser,
  created: toTimestamp(activity.created),
});
