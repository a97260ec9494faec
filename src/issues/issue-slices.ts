import { setImmediate } from 'node:timers/promises';
import { type DataSource } from 'typeorm';
import { Conditions } from '../database/conditions';
import { countRows } from '../database/list-page';

/** What of an issue a list is put in order by. */
export interface SortedRow {
  id: number;
  sortKey: string | number | null;
}

/** In which order a list is, and how much of its beginning is asked for. */
export interface Order {
  /** An expression on an issue `i`. */
  key: string;
  direction: 'ASC' | 'DESC';
  /** How many rows. */
  count: number;
}

/** So many issues are searched at most without a pause, and fewer where their texts are so long that it is felt. */
const MAX_SLICE = 500;
const SLICE_MS = 20;

type SliceColumn = 'i.created' | 'i.updated';

/**
 * Searches that read the texts of many issues, on the embedded database. It works in this process, where nothing else goes on
 * meanwhile, so they look at one slice of the issues after the other, and let other requests have their turn in between.
 */
export class SlicedSearch {
  /**
   * @param place where to look: conditions that an index meets
   * @param conditions all that is asked for
   */
  constructor(
    private readonly dataSource: DataSource,
    private readonly place: Conditions,
    private readonly conditions: Conditions,
  ) {}

  /** The ids of the first issues of a list. */
  async list(order: Order): Promise<{ id: number }[]> {
    const column = order.key === 'i.updated' ? 'i.updated' : 'i.created';
    const isInOrder = order.key === column;
    let found: SortedRow[] = [];
    for await (const slice of this.slices(column, order.direction)) {
      const rows = await this.dataSource.query<SortedRow[]>(
        `SELECT i.id AS id, ${order.key} AS sortKey FROM issue i ${slice.where}
          ORDER BY sortKey ${order.direction}, i.id ${order.direction} LIMIT ${order.count}`,
        slice.parameters,
      );
      for (const row of rows) found.push(row);
      if (isInOrder && found.length >= order.count) break;
      // Now and then, so that what is far behind is not kept, and sorting costs little beside searching.
      if (!isInOrder && found.length >= 2 * order.count) found = firstOf(found, order);
    }
    return isInOrder ? found.slice(0, order.count) : firstOf(found, order);
  }

  /** How many issues there are. */
  async count(): Promise<number> {
    let count = 0;
    for await (const conditions of this.slices('i.created', 'ASC')) {
      count += await countRows(this.dataSource, { from: 'issue i', conditions });
    }
    return count;
  }

  /** The conditions for each slice; those of one value are all in one. */
  private async *slices(column: SliceColumn, direction: Order['direction']): AsyncGenerator<Conditions> {
    const [from, behind] = direction === 'ASC' ? ['>', '<='] : ['<', '>='];
    let size = MAX_SLICE;
    for (let last: number | undefined; ;) {
      const rest = new Conditions().and(this.place).addIf(last, `${column} ${from} ?`);
      const [end] = await this.dataSource.query<{ bound: number }[]>(
        `SELECT ${column} AS bound FROM issue i ${rest.where}
          ORDER BY ${column} ${direction} LIMIT 1 OFFSET ${size - 1}`,
        rest.parameters,
      );
      const began = performance.now();
      yield new Conditions()
        .and(this.conditions)
        .addIf(last, `${column} ${from} ?`)
        .addIf(end?.bound, `${column} ${behind} ?`);
      if (!end) return;
      last = end.bound;
      const share = SLICE_MS / Math.max(performance.now() - began, 1);
      size = Math.min(MAX_SLICE, Math.max(1, Math.round(size * share)));
      await setImmediate();
    }
  }
}

const firstOf = (rows: SortedRow[], { direction, count }: Order): SortedRow[] =>
  rows
    .toSorted((a, b) => {
      const difference = compare(a.sortKey, b.sortKey) || a.id - b.id;
      return direction === 'ASC' ? difference : -difference;
    })
    .slice(0, count);

/** As SQLite compares: nothing is less than anything, and texts go by their bytes. */
export function compare(one: SortedRow['sortKey'], other: SortedRow['sortKey']): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null);
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));
}
