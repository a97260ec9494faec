import { BooleanField } from '../../http/request/fields';

/** Query of `GET /projects`. */
export class ListProjectsQuery {
  @BooleanField({
    description: 'Only archived projects, or only others; both when left out.',
    optional: true,
  })
  readonly archived?: boolean;

  @BooleanField({
    description:
      'For an Administrator also the projects that they do not belong to; nothing to anybody else.',
    default: false,
    optional: true,
  })
  readonly all: boolean = false;
}
