import { BooleanField } from '../../http/request/fields';
import { PartialDto } from '../../http/request/partial-dto';
import { AddProjectDto } from './add-project.dto';

/** Body of `PATCH /projects/{projectIdOrKey}`. */
export class UpdateProjectDto extends PartialDto(AddProjectDto) {
  @BooleanField({
    description: 'Whether the project is marked as archived. Everything can still be read and changed.',
    optional: true,
    example: true,
  })
  readonly archived?: boolean;
}
