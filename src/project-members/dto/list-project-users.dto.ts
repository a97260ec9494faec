import { BooleanField } from '../../http/request/fields';

/** Query of `GET /projects/{projectIdOrKey}/users`. */
export class ListProjectUsersQuery {
  @BooleanField({
    description: 'Leave out who is a member by a team alone.',
    default: false,
    optional: true,
  })
  readonly excludeGroupMembers: boolean = false;
}
