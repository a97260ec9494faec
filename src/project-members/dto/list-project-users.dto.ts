import { BooleanField } from '../../http/request/fields';
import { SelectedFieldsField } from '../../http/request/selected-fields';
import { UserDto } from '../../users/dto/user.dto';

/** Query of `GET /projects/{projectIdOrKey}/users`. */
export class ListProjectUsersQuery {
  @BooleanField({
    description: 'Whether to exclude users who are members only through a team.',
    default: false,
    optional: true,
  })
  readonly excludeGroupMembers: boolean = false;

  @SelectedFieldsField(UserDto)
  readonly fields?: string;
}
