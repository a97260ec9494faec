import { NumericEnumField, TextField } from '../../http/request/fields';
import { EVERYONE, RoleType } from '../../access/role-type';
import { MailAddressField, SignInNameField } from './user-fields';

/** Body of `POST /users`. */
export class AddUserDto {
  @SignInNameField({ description: 'The login name, unique among all users.', example: 'robin' })
  userId: string;

  @TextField({
    description: 'The password, of which only a salted hash is stored.',
    min: 8,
    max: 255,
    example: 'correct horse battery staple',
  })
  password: string;

  @TextField({
    description: 'The display name.',
    min: 1,
    max: 255,
    trim: true,
    example: 'Robin Reporter',
  })
  name: string;

  @MailAddressField({ description: 'The mail address.', example: 'robin@example.com' })
  mailAddress: string;

  @NumericEnumField({
    description: '1 Administrator, 2 Normal User, 3 Reporter, 4 Viewer, 5 Guest Reporter, 6 Guest Viewer.',
    codes: EVERYONE,
    example: RoleType.Reporter,
  })
  roleType: RoleType;
}
