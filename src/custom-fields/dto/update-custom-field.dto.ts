import { PartialDto } from '../../http/request/partial-dto';
import { AddCustomFieldDto } from './add-custom-field.dto';

/** The changes of a custom field, whose type stays. */
export class UpdateCustomFieldDto extends PartialDto(AddCustomFieldDto, { omit: ['typeId'] }) {}
