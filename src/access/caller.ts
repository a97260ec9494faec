import { type RoleType } from './role-type';

/** Who makes a request, as its credential says. */
export interface Caller {
  id: number;
  roleType: RoleType;
}
