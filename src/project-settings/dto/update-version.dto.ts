import { BooleanField } from '../../http/request/fields';
import { PartialDto } from '../../http/request/partial-dto';
import { AddVersionDto } from './add-version.dto';
import { UniqueNameField } from './unique-name-field';

/** The changes of a version; the name is required. */
export class UpdateVersionDto extends PartialDto(AddVersionDto, { omit: ['name'] }) {
  @UniqueNameField('1.0')
  name: string;

  @BooleanField({ description: 'Is over and done with.', optional: true, example: true })
  archived?: boolean;
}
