import { ColorField } from '../../http/fields';
import { UniqueNameField } from './unique-name-field';

/** Body of 4.6. */
export class AddStatusDto {
  @UniqueNameField('In review')
  name: string;

  @ColorField({ description: 'Colour to show it in.', example: '#3b9dbd' })
  color: string;
}
