import { BooleanField } from '../../http/request/fields';
import { PartialDto } from '../../http/request/partial-dto';
import { AddVersionDto } from './add-version.dto';

/** Body of an update of a version. */
export class UpdateVersionDto extends PartialDto(AddVersionDto) {
  @BooleanField({ description: 'Whether the version is archived.', optional: true, example: true })
  archived?: boolean;
}
