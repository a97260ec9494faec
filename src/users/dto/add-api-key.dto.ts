import { TextField } from '../../http/request/fields';

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
}
