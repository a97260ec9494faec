import { NumericEnumField, TextField } from '../../http/request/fields';
import { EVERYONE, RoleType } from '../../access/role-type';
import { MailAddressField, SignInNameField } from './user-fields';

/** Body of `POST /users`. */
export class AddUserDto {
  @SignInNameField({ description: 'The sign-in name, which must be unique.', example: 'robin' })
  userId: string;

  @TextField({
    description: 'Only a salted hash of it is kept.',
    min: 8,
    max: 255,
    example: 'correct horse battery staple',
  })
  password: string;

  @TextField({
    description: 'Name that others see.',
    min: 1,
    max: 255,
    trim: true,
    example: 'Robin Reporter',
  })
  name: string;

  @MailAddressField({ description: 'Mail address.', example: 'robin@example.com' })
  mailAddress: string;

  @NumericEnumField({
    description: '1 Administrator, 2 Normal User, 3 Reporter, 4 Viewer, 5 Guest Reporter, 6 Guest Viewer.',
    codes: EVERYONE,
    example: RoleType.Reporter,
  })
  roleType: RoleType;
}
