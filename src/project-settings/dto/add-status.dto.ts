import { ColorField } from '../../http/request/fields';
import { UniqueNameField } from './unique-name-field';

/** Body of a new status (`docs/protocol.md#add-a-status-to-a-project`). */
export class AddStatusDto {
  @UniqueNameField('In review')
  name: string;

  @ColorField({ description: 'The display colour.', example: '#3b9dbd' })
  color: string;
}
