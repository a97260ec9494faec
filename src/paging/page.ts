/** Parameters of a page of a list (`docs/decisions/0005-requests.md#pages`). */
export interface OffsetPaging {
  /** Maximum number of records of the page. */
  readonly count: number;
  /** Number of records to skip. */
  readonly offset: number;
  readonly order: 'asc' | 'desc';
}

/** Same for a list that is ordered by id. */
export interface IdPaging extends OffsetPaging {
  /** Smallest id. */
  readonly minId?: number;
  /** Largest id. */
  readonly maxId?: number;
}

/** One page of a list. */
export class Page<T> {
  /** @param next the parameters of the next page; undefined on the last */
  constructor(
    readonly items: T[],
    readonly next?: Readonly<Record<string, number>>,
  ) {}
}

/**
 * Removes the surplus row that indicates a further page. The next page continues after the last id instead of skipping rows: rows
 * added in the meantime shift nothing, and a deep page is as fast as the first.
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

/** Same for a list in another order, whose next page skips the rows of this one. */
export function toOffsetPage<Row>(
  rows: Row[],
  { count, offset }: Pick<OffsetPaging, 'count' | 'offset'>,
): Page<Row> {
  const items = rows.slice(0, count);
  return new Page(items, rows.length > count ? { offset: offset + count } : undefined);
}
