import { PartialDto } from '../../http/request/partial-dto';
import { AddStatusDto } from './add-status.dto';

/** The changes of a status. */
export class UpdateStatusDto extends PartialDto(AddStatusDto) {}
