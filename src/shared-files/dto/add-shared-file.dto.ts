import { TextField } from '../../http/request/fields';
import { ParametersOfWrite } from '../../http/request/unknown-names';

/** The folder of a new file, in the query string instead of the form. */
@ParametersOfWrite()
export class AddSharedFileQuery {
  @TextField({
    description: 'Path of the folder, unless the form contains it; the top folder if neither does.',
    max: 4000,
    optional: true,
    example: 'guides',
  })
  readonly path?: string;
}
