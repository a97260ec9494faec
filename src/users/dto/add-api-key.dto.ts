import { type Scope, SCOPES } from '../../access/scopes';
import { EnumListField, TextField, TimeField } from '../../http/request/fields';

/** Body of `POST /users/{userId}/apiKeys`. */
export class AddApiKeyDto {
  @TextField({
    description: 'The purpose of the key.',
    min: 1,
    max: 255,
    trim: true,
    example: 'Continuous integration',
  })
  name: string;

  @EnumListField({
    description:
      'What the key may do: `read` or `write` in all areas or in one, such as `read:issues`, and `admin` for the rights of an Administrator, without which the key has those of a normal user. `write` includes `read`. Without this field, the key may do whatever its user may. A key with scopes can add only keys with some of these.',
    values: SCOPES,
    min: 1,
    optional: true,
    example: ['read', 'write:issues'],
  })
  scopes?: Scope[];

  @TimeField({
    description:
      'The time from which the key is refused; without this field, never. A key that expires can add only keys that expire no later.',
    optional: true,
    example: '2030-12-31T00:00:00Z',
  })
  expires?: Date;
}
