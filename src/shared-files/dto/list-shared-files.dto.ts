import { EnumField, IntegerField } from '../../http/request/fields';
import { type OffsetPaging } from '../../paging/page';

const MAX_COUNT = 1000;

/** The page of a folder to list; differs from the paging of other lists only in the maximum count. */
export class ListSharedFilesQuery implements OffsetPaging {
  @EnumField({
    description: 'Sort order, by id.',
    values: ['asc', 'desc'],
    default: 'desc',
    optional: true,
  })
  readonly order: 'asc' | 'desc' = 'desc';

  @IntegerField({
    description: 'Number of records to skip.',
    min: 0,
    max: 2 ** 31 - 1,
    default: 0,
    optional: true,
  })
  readonly offset: number = 0;

  @IntegerField({
    description: 'Number of records to return.',
    min: 1,
    max: MAX_COUNT,
    default: MAX_COUNT,
    optional: true,
  })
  readonly count: number = MAX_COUNT;
}
