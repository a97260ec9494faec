import { TextField } from '../../http/request/fields';

/** Query that names the project where the path does not. */
export class ProjectQuery {
  @TextField({
    description: 'Id or key of the project. All digits are an id.',
    min: 1,
    max: 255,
    example: 'DEMO',
  })
  projectIdOrKey: string;
}
