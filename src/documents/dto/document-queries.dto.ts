import { EnumField, IdListField, TextField } from '../../http/request/fields';
import { OffsetPageQuery } from '../../http/request/page-query';

const DOCUMENT_SORT_KEYS = ['created', 'updated'] as const;

export type DocumentSortKey = (typeof DOCUMENT_SORT_KEYS)[number];

/** The documents to list. */
export class ListDocumentsQuery extends OffsetPageQuery {
  @IdListField({ description: 'Only those of these projects; none = of all.', optional: true, example: [1] })
  readonly projectId: number[] = [];

  @TextField({
    description: 'Only those with this in their title or text; case does not matter.',
    max: 255,
    optional: true,
    example: 'release',
  })
  readonly keyword?: string;

  @EnumField({
    description: 'What to sort by.',
    values: DOCUMENT_SORT_KEYS,
    default: 'updated',
    optional: true,
  })
  readonly sort: DocumentSortKey = 'updated';
}
