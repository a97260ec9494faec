import { EnumField, TextField } from '../../http/request/fields';
import { SelectedFieldsField } from '../../http/request/selected-fields';
import { ProjectQuery } from '../../projects/dto/project-query.dto';
import { WikiSummaryDto } from './wiki.dto';

const WIKI_SORT_KEYS = ['name', 'created', 'updated'] as const;

export type WikiSortKey = (typeof WIKI_SORT_KEYS)[number];

/** The wiki pages of a project to list, and their order. */
export class ListWikisQuery extends ProjectQuery {
  @TextField({
    description: 'Only pages whose name, content or tags contain this, regardless of case.',
    max: 255,
    optional: true,
    example: 'release',
  })
  keyword?: string;

  @EnumField({
    description: 'The sort key; equal values are ordered by name.',
    values: WIKI_SORT_KEYS,
    default: 'name',
    optional: true,
  })
  sort: WikiSortKey = 'name';

  @EnumField({
    description: 'Sort order. If omitted, names are ascending and times descending.',
    values: ['asc', 'desc'],
    optional: true,
  })
  order?: 'asc' | 'desc';

  @SelectedFieldsField(WikiSummaryDto)
  readonly fields?: string;
}
