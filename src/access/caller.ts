import { type RoleType } from './role-type';

/** The user who makes a request, by its credential. */
export interface Caller {
  id: number;
  roleType: RoleType;
}
