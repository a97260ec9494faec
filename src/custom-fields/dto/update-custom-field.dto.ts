import { PartialDto } from '../../http/request/partial-dto';
import { AddCustomFieldDto } from './add-custom-field.dto';

/** Body of a request that updates a custom field; its type cannot change. */
export class UpdateCustomFieldDto extends PartialDto(AddCustomFieldDto, { omit: ['typeId'] }) {}
