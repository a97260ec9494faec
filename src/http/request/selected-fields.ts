import { type Type } from '@nestjs/common';
import { Matches } from 'class-validator';
import { Page } from '../../paging/page';
import { field } from './field';

/** The metadata of `@ApiProperty()`, for which `@nestjs/swagger` exports no name: the names of a class's properties, each after a colon. */
const PROPERTIES = 'swagger/apiModelPropertiesArray';
const MAX_LENGTH = 1000;

/**
 * A query parameter that selects fields of each record in the response, such as `id,status.name`.
 * @param dto the record
 */
export function SelectedFieldsField(dto: Type<unknown>): PropertyDecorator {
  const properties = (Reflect.getMetadata(PROPERTIES, dto.prototype as object) as string[] | undefined) ?? [];
  const names = properties.map((name) => name.slice(1));
  const one = String.raw`(?:${names.join('|')})(?:\.\w+)*`;
  const pattern = new RegExp(`^(?=.{1,${MAX_LENGTH}}$)${one}(?:,${one})*$`);
  const [first = 'id', second = first] = names;
  return field(
    {
      description:
        'Only these fields of each record, separated by commas; a point leads into a field, as in `createdUser.name`. The records then lack all others. All if omitted.',
      // Without an example, with which the documentation page would fill in the parameter.
      optional: true,
    },
    {
      kind: 'string',
      schema: { type: 'string', minLength: 1, maxLength: MAX_LENGTH },
      message: `must be fields of the response separated by commas, such as ${first},${second}`,
      rules: (message) => [Matches(pattern, message)],
    },
  );
}

/** Fields, each with those selected of its value; none selects the whole value. */
type Selection = Map<string, Selection>;

/** Returns a record or a page with only the selected fields. */
export function selectFields<Answer extends object>(answer: Answer, fields: string | undefined): Answer {
  if (fields === undefined) return answer;
  const selection: Selection = new Map();
  for (const path of fields.split(',')) {
    let place = selection;
    for (const name of path.split('.')) {
      const inner: Selection = place.get(name) ?? new Map<string, Selection>();
      place.set(name, inner);
      place = inner;
    }
  }
  if (!(answer instanceof Page)) return pick(answer, selection) as Answer;
  const { items, next } = answer as Page<unknown>;
  return new Page(
    items.map((item) => pick(item, selection)),
    next,
  ) as Answer;
}

function pick(value: unknown, selection: Selection): unknown {
  if (selection.size === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => pick(item, selection));
  return Object.fromEntries(
    [...selection].flatMap(([name, inner]) =>
      Object.hasOwn(value, name) ? [[name, pick((value as Record<string, unknown>)[name], inner)]] : [],
    ),
  );
}
