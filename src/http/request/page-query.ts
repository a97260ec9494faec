import { IsInt, Max, Min } from 'class-validator';
import { type IdPaging, type OffsetPaging } from '../../paging/page';
import { field } from './field';
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

/** The largest int64, as the nearest number above it. */
const MAX_INT64 = 2 ** 63;

/**
 * A bound of the ids: any int64 from 0 (`docs/protocol.md`). Some clients send the largest int64 as "no bound". No id is above 2^53 - 1, so
 * the handlers receive this at most, which a number represents exactly.
 */
const BoundField = (description: string): PropertyDecorator =>
  field(
    { description, optional: true },
    {
      kind: 'integer',
      normalize: (value) =>
        (value as number) <= MAX_INT64 ? Math.min(value as number, Number.MAX_SAFE_INTEGER) : value,
      schema: { type: 'integer', format: 'int64', minimum: 0 },
      message: 'must be a whole number from 0 to 9,223,372,036,854,775,807',
      rules: (message) => [IsInt(message), Min(0, message), Max(Number.MAX_SAFE_INTEGER, message)],
    },
  );

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
