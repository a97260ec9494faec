import { RoleType } from '../access/role-type';
import { type ActivityChange, type ActivityUser, type LinkedIssue } from './activity-content';

/** Parts of the sample contents of activities. */
export const comment = { id: 1, content: 'A sample comment' };
export const file = { id: 1, dir: '/', name: 'sample.txt', size: 1024 };
export const link: LinkedIssue[] = [{ id: 1, key_id: 1, title: 'Sample issue', comment: null }];
export const repository = { id: 1, name: 'sample', description: '' };
export const statusChange: ActivityChange = {
  field: 'status',
  new_value: '2',
  old_value: '1',
  type: 'standard',
};
export const user: ActivityUser = {
  id: 1,
  userId: 'sample',
  name: 'Sample user',
  roleType: RoleType.NormalUser,
  lang: 'en',
  mailAddress: 'sample@example.com',
};
