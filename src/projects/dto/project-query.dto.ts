import { TextField } from '../../http/request/fields';

/** The project whose things are requested, where the path does not name it. */
export class ProjectQuery {
  @TextField({
    description: 'Id of the project, or its key. All digits are an id.',
    min: 1,
    max: 255,
    example: 'DEMO',
  })
  projectIdOrKey: string;
}
