import { BooleanField, TextField } from '../../http/fields';
import { PartialDto } from '../../http/partial-dto';
import { AddVersionDto } from './add-version.dto';

/** What of a version is to change; its name is given in any case. */
export class UpdateVersionDto extends PartialDto(AddVersionDto, { omit: ['name'] }) {
  @TextField({
    description: 'Unlike any other in the project, whatever the case of its letters.',
    min: 1,
    max: 255,
    trim: true,
    example: '1.0',
  })
  name: string;

  @BooleanField({ description: 'Is over and done with.', optional: true, example: true })
  archived?: boolean;
}
