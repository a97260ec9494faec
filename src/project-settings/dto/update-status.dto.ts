import { PartialDto } from '../../http/request/partial-dto';
import { AddStatusDto } from './add-status.dto';

/** What of a status is to change. */
export class UpdateStatusDto extends PartialDto(AddStatusDto) {}
