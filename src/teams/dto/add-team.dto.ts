import { IdListField, TextField } from '../../http/request/fields';

/** Body of `addTeam`. */
export class AddTeamDto {
  @TextField({ description: 'The name.', min: 1, max: 255, trim: true, example: 'Developers' })
  name: string;

  @IdListField({ description: 'Ids of the members.', optional: true, example: [2] })
  members: number[] = [];
}
