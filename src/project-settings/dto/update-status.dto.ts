import { PartialDto } from '../../http/request/partial-dto';
import { AddStatusDto } from './add-status.dto';

/** Body of an update of a status. */
export class UpdateStatusDto extends PartialDto(AddStatusDto) {}
