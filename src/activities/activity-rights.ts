import { type Conditions } from '../database/conditions';
import { type Caller } from '../users/caller';
import { DEVELOPERS } from '../users/role-type';
import { ActivityType } from './activity-type';

/** What tells of git repositories and pull requests, which not every role may see (decisions, section 2). */
const GIT_TYPES: readonly ActivityType[] = [
  ActivityType.GitPushed,
  ActivityType.GitRepositoryCreated,
  ActivityType.PullRequestCreated,
  ActivityType.PullRequestUpdated,
  ActivityType.PullRequestCommented,
  ActivityType.PullRequestDeleted,
];

/** Whether a caller who may see an activity's project may see the activity, too. */
export const maySeeActivity = (caller: Caller, type: ActivityType): boolean =>
  DEVELOPERS.includes(caller.roleType) || !GIT_TYPES.includes(type);

/** Adds that an activity `a` is of the types asked for that a caller may see; none asked for is all. */
export function addTypes(conditions: Conditions, caller: Caller, types: readonly ActivityType[]): void {
  if (types.length > 0) conditions.in('a.type', visibleTypes(caller, types));
  else if (!DEVELOPERS.includes(caller.roleType)) conditions.add(`a.type NOT IN (${GIT_TYPES.join(', ')})`);
}

/** Those of some types that a caller may see, each once. */
export const visibleTypes = (caller: Caller, types: readonly ActivityType[]): ActivityType[] =>
  [...new Set(types)].filter((type) => maySeeActivity(caller, type));
