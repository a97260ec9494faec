import { type Agent } from '../access/agent';
import { toTimestamp } from '../http/request/timestamp';
import { type ProjectDto } from '../projects/dto/project.dto';
import { type UserDto } from '../users/dto/user.dto';
import { type ActivityType } from './activity-type';

/** Maps an activity to the family's envelope, for webhooks and lists. */
export const toActivityEnvelope = (
  activity: { id: number | null; type: ActivityType; content: object; created: number },
  project: ProjectDto,
  createdUser: UserDto,
  agent?: Agent,
) => ({
  // A test delivery has no activity, and therefore no id.
  id: activity.id ?? 0,
  project,
  type: activity.type,
  content: activity.content,
  // As in the family, the notified users are not included.
  notifications: [] as never[],
  createdUser,
  ...(agent && { agent }),
  created: toTimestamp(activity.created),
});
