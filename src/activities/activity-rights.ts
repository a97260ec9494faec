import { type Conditions } from '../database/sql/conditions';
import { type Caller } from '../access/caller';
import { DEVELOPERS } from '../access/role-type';
import { declared } from '../manifests';
import { type ActivityType } from './activity-type';

/** The activity types that not every role may see. */
const DEVELOPER_TYPES: readonly ActivityType[] = Object.keys(declared('developerActivities')).map(Number);

/** Whether only the roles of `DEVELOPERS` may see activities of a type. */
export const isForDevelopers = (type: ActivityType): boolean => DEVELOPER_TYPES.includes(type);

/** Whether a caller who may see an activity's project may also see the activity. */
export const maySeeActivity = (caller: Caller, type: ActivityType): boolean =>
  DEVELOPERS.includes(caller.roleType) || !isForDevelopers(type);

/**
 * Adds the condition that a caller may see activities of a row's type.
 * @param type the column with the type
 * @param orElse an alternative condition that makes a row visible
 */
export function addVisible(conditions: Conditions, caller: Caller, type: string, orElse?: string): void {
  if (DEVELOPERS.includes(caller.roleType)) return;
  const isVisible = `${type} NOT IN (${DEVELOPER_TYPES.join(', ')})`;
  conditions.add(orElse === undefined ? isVisible : `(${isVisible} OR ${orElse})`);
}

/** Returns the distinct given types that a caller may see. */
export const visibleTypes = (caller: Caller, types: readonly ActivityType[]): ActivityType[] =>
  [...new Set(types)].filter((type) => maySeeActivity(caller, type));
