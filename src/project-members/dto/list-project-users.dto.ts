import { BooleanField } from '../../http/request/fields';

/** Query of `GET /projects/{projectIdOrKey}/users`. */
export class ListProjectUsersQuery {
  @BooleanField({
    description: 'Leave out who is a member through a team alone; there are no teams, so nobody is.',
    default: false,
    optional: true,
  })
  readonly excludeGroupMembers: boolean = false;
}
