/** Which records of a list a page is of (`docs/decisions/0006-paging.md`). */
export interface OffsetPaging {
  /** Most records of the page. */
  readonly count: number;
  /** How many to skip. */
  readonly offset: number;
  readonly order: 'asc' | 'desc';
}

/** The same for a list that is ordered by id. */
export interface IdPaging extends OffsetPaging {
  /** Smallest id. */
  readonly minId?: number;
  /** Largest id. */
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
  { count, order }: Pick<IdPaging, 'count' | 'order'>,
): Page<Row> {
  const items = rows.slice(0, count);
  const last = items.at(-1);
  if (rows.length <= count || !last) return new Page(items);
  return new Page(items, order === 'desc' ? { maxId: last.id - 1 } : { minId: last.id + 1 });
}

/** The same for a list in another order, whose next page skips the rows of this one. */
export function toOffsetPage<Row>(
  rows: Row[],
  { count, offset }: Pick<OffsetPaging, 'count' | 'offset'>,
): Page<Row> {
  const items = rows.slice(0, count);
  return new Page(items, rows.length > count ? { offset: offset + count } : undefined);
}
