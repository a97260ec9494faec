import { EnumField, IdListField, TextField } from '../../http/request/fields';
import { OffsetPageQuery } from '../../http/request/page-query';

const DOCUMENT_SORT_KEYS = ['created', 'updated'] as const;

export type DocumentSortKey = (typeof DOCUMENT_SORT_KEYS)[number];

/** The documents to list. */
export class ListDocumentsQuery extends OffsetPageQuery {
  @IdListField({
    description: 'Only documents of these projects; of all projects if omitted.',
    optional: true,
    example: [1],
  })
  readonly projectId: number[] = [];

  @TextField({
    description: 'Only documents whose title or text contains this, regardless of case.',
    max: 255,
    optional: true,
    example: 'release',
  })
  readonly keyword?: string;

  @EnumField({
    description: 'The sort key.',
    values: DOCUMENT_SORT_KEYS,
    default: 'updated',
    optional: true,
  })
  readonly sort: DocumentSortKey = 'updated';
}
