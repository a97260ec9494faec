import { PartialDto } from '../../http/request/partial-dto';
import { AddTeamDto } from './add-team.dto';

/** Body of `updateTeam`. */
export class UpdateTeamDto extends PartialDto(AddTeamDto) {}
