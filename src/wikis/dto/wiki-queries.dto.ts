import { EnumField, TextField } from '../../http/request/fields';
import { ProjectQuery } from '../../projects/dto/project-query.dto';

const WIKI_SORT_KEYS = ['name', 'created', 'updated'] as const;

export type WikiSortKey = (typeof WIKI_SORT_KEYS)[number];

/** The wiki pages of a project to list, and their order. */
export class ListWikisQuery extends ProjectQuery {
  @TextField({
    description: 'Only those with this in their name or content; case does not matter.',
    max: 255,
    optional: true,
    example: 'release',
  })
  keyword?: string;

  @EnumField({
    description: 'What to sort by; equal values are sorted by name.',
    values: WIKI_SORT_KEYS,
    default: 'name',
    optional: true,
  })
  sort: WikiSortKey = 'name';

  @EnumField({
    description: 'Sort order. Left out, names are in ascending and times in descending order.',
    values: ['asc', 'desc'],
    optional: true,
  })
  order?: 'asc' | 'desc';
}
