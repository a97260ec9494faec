import { type Conditions } from '../database/conditions';
import { type Caller } from '../access/caller';
import { DEVELOPERS } from '../access/role-type';
import { ActivityType } from './activity-type';

/** What tells of git repositories and pull requests, which not every role may see (`docs/decisions/0004-access.md`). */
const GIT_TYPES: readonly ActivityType[] = [
  ActivityType.GitPushed,
  ActivityType.GitRepositoryCreated,
  ActivityType.PullRequestCreated,
  ActivityType.PullRequestUpdated,
  ActivityType.PullRequestCommented,
  ActivityType.PullRequestDeleted,
];

/** Whether activities of a type are for the roles of `DEVELOPERS` alone. */
export const isForDevelopers = (type: ActivityType): boolean => GIT_TYPES.includes(type);

/** Whether a caller who may see an activity's project may see the activity, too. */
export const maySeeActivity = (caller: Caller, type: ActivityType): boolean =>
  DEVELOPERS.includes(caller.roleType) || !isForDevelopers(type);

/** Adds that an activity `a` is of the types asked for that a caller may see; none asked for is all. */
export function addTypes(conditions: Conditions, caller: Caller, types: readonly ActivityType[]): void {
  if (types.length > 0) conditions.in('a.type', visibleTypes(caller, types));
  else addVisible(conditions, caller, 'a.type');
}

/**
 * Adds that a caller may see what is of an activity type.
 * @param type the column that names the type
 * @param orElse another condition under which the caller may
 */
export function addVisible(conditions: Conditions, caller: Caller, type: string, orElse?: string): void {
  if (DEVELOPERS.includes(caller.roleType)) return;
  const isVisible = `${type} NOT IN (${GIT_TYPES.join(', ')})`;
  conditions.add(orElse === undefined ? isVisible : `(${isVisible} OR ${orElse})`);
}

/** Those of some types that a caller may see, each once. */
export const visibleTypes = (caller: Caller, types: readonly ActivityType[]): ActivityType[] =>
  [...new Set(types)].filter((type) => maySeeActivity(caller, type));
