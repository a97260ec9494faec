import { BooleanField } from '../../http/request/fields';
import { SelectedFieldsField } from '../../http/request/selected-fields';
import { ProjectDto } from './project.dto';

/** Query of `GET /projects`. */
export class ListProjectsQuery {
  @BooleanField({
    description: '`true`: only archived projects; `false`: only others; all if omitted.',
    optional: true,
  })
  readonly archived?: boolean;

  @BooleanField({
    description:
      'Whether to include projects that an Administrator does not belong to. No effect for other users.',
    default: false,
    optional: true,
  })
  readonly all: boolean = false;

  @SelectedFieldsField(ProjectDto)
  readonly fields?: string;
}
