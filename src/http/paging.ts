import { EnumField, IntegerField } from './fields';

const DEFAULT_COUNT = 20;
const MAX_COUNT = 100;

const CountField = (): PropertyDecorator =>
  IntegerField({
    description: 'Number of records to return.',
    min: 1,
    max: MAX_COUNT,
    default: DEFAULT_COUNT,
    optional: true,
  });

const OrderField = (): PropertyDecorator =>
  EnumField({
    description: 'Sort order.',
    values: ['asc', 'desc'],
    default: 'desc',
    optional: true,
  });

const BoundField = (description: string): PropertyDecorator =>
  IntegerField({
    description,
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    format: 'int64',
    optional: true,
  });

const MinIdField = (): PropertyDecorator => BoundField('Lower bound of the ids, inclusive.');
const MaxIdField = (): PropertyDecorator => BoundField('Upper bound of the ids, inclusive.');

/** Paging of lists by how many records to skip (`docs/decisions/0006-paging.md`). */
export class OffsetPageQuery {
  @CountField()
  readonly count: number = DEFAULT_COUNT;

  @IntegerField({
    description: 'Number of records to skip.',
    min: 0,
    max: 2 ** 31 - 1,
    default: 0,
    optional: true,
  })
  readonly offset: number = 0;

  @OrderField()
  readonly order: 'asc' | 'desc' = 'desc';
}

/** Paging of lists that are ordered by id (`docs/decisions/0006-paging.md`). */
export class IdPageQuery extends OffsetPageQuery {
  @MinIdField()
  readonly minId?: number;

  @MaxIdField()
  readonly maxId?: number;
}

/** The same for lists that are merged of several, where skipping would cost as much as reading. */
export class KeysetPageQuery {
  @CountField()
  readonly count: number = DEFAULT_COUNT;

  @OrderField()
  readonly order: 'asc' | 'desc' = 'desc';

  @MinIdField()
  readonly minId?: number;

  @MaxIdField()
  readonly maxId?: number;
}

/** One page of a list. */
export class Page<T> {
  /** @param next the parameters that ask for the page after it; undefined on the last */
  constructor(
    readonly items: T[],
    readonly next?: Readonly<Record<string, number>>,
  ) {}
}

/**
 * Cuts the one row too many that tells whether there is more. The next page goes on from the last id instead of skipping
 * rows: what is added meanwhile moves nothing, and a deep page is as fast as the first.
 */
export function toIdPage<Row extends { id: number }>(
  rows: Row[],
  { count, order }: Pick<IdPageQuery, 'count' | 'order'>,
): Page<Row> {
  const items = rows.slice(0, count);
  const last = items.at(-1);
  if (rows.length <= count || !last) return new Page(items);
  return new Page(items, order === 'desc' ? { maxId: last.id - 1 } : { minId: last.id + 1 });
}

/** The same for a list in another order, whose next page skips the rows of this one. */
export function toOffsetPage<Row>(rows: Row[], { count, offset }: OffsetPageQuery): Page<Row> {
  const items = rows.slice(0, count);
  return new Page(items, rows.length > count ? { offset: offset + count } : undefined);
}
