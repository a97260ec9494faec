import { TextField } from '../../http/request/fields';

/** The project whose wiki pages are requested. */
export class WikiProjectQuery {
  @TextField({
    description: 'Id of the project, or its key. All digits are an id.',
    min: 1,
    max: 255,
    example: 'DEMO',
  })
  projectIdOrKey: string;
}

/** Which wiki pages of a project to list. */
export class ListWikisQuery extends WikiProjectQuery {
  @TextField({
    description: 'Only those with this in their name or content, in capitals or not.',
    max: 255,
    optional: true,
    example: 'release',
  })
  keyword?: string;
}
