import { BooleanField } from '../../http/request/fields';

/** Query of `GET /projects/{projectIdOrKey}/users`. */
export class ListProjectUsersQuery {
  @BooleanField({
    description: 'Whether to exclude users who are members only through a team.',
    default: false,
    optional: true,
  })
  readonly excludeGroupMembers: boolean = false;
}
