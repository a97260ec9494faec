import { type IdPaging, type OffsetPaging } from '../../paging/page';
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

/** Paging of lists with a fixed order, by the number of records to skip. */
export class CountOffsetQuery {
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
}

/** Paging of lists by the number of records to skip (`docs/decisions/0005-requests.md#pages`). */
export class OffsetPageQuery extends CountOffsetQuery implements OffsetPaging {
  @OrderField()
  readonly order: 'asc' | 'desc' = 'desc';
}

/** Paging of lists that are ordered by id (`docs/decisions/0005-requests.md#pages`). */
export class IdPageQuery extends OffsetPageQuery implements IdPaging {
  @MinIdField()
  readonly minId?: number;

  @MaxIdField()
  readonly maxId?: number;
}

/** Same for lists merged from several, where skipping records would cost as much as reading them. */
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
