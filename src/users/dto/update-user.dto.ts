import { BooleanField } from '../../http/request/fields';
import { PartialDto } from '../../http/request/partial-dto';
import { AddUserDto } from './add-user.dto';

/** Body of `PATCH /users/{userId}`. */
export class UpdateUserDto extends PartialDto(AddUserDto, { omit: ['userId'] }) {
  @BooleanField({
    description:
      'Whether the API keys of the user work, which only Administrators may set, and not for themselves. Specific to this service; `GET /users/{userId}/account` returns it.',
    optional: true,
    example: true,
  })
  enabled?: boolean;
}
