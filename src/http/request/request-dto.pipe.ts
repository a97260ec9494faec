import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { validateSync } from 'class-validator';
import { InvalidRequestError, type Problem } from '../../errors/domain-errors';
import { type FieldDefinition, fieldsOf } from './fields';
import { Form } from './form';

type DtoClass = new () => object;

/** So many problems are told of; a body of unknown names alone would else have an answer many times its size. */
const MAX_PROBLEMS = 100;

/** Makes the request DTOs that handlers take as their body or query; every problem is told at once. */
@Injectable()
export class RequestDtoPipe implements PipeTransform {
  transform(value: unknown, { metatype }: ArgumentMetadata): unknown {
    return metatype && fieldsOf(metatype) ? bindRequest(metatype as DtoClass, value) : value;
  }
}

/**
 * Builds a request DTO from a form or a JSON value: unknown names are refused, known ones normalised and validated.
 * @throws InvalidRequestError with one problem for each field that is wrong
 */
export function bindRequest<Dto extends object>(dtoClass: new () => Dto, value: unknown): Dto {
  const fields = fieldsOf(dtoClass) as Map<string, FieldDefinition>;
  const dto = new dtoClass();
  const problems: Problem[] = [];
  for (const [name, given] of namedValues(value)) {
    const definition = fields.get(name);
    if (!definition) {
      problems.push(unknownName(name));
      continue;
    }
    const read = given instanceof FormValue ? given.as(definition) : given;
    (dto as Record<string, unknown>)[name] = normalized(definition, read);
  }
  for (const error of validateSync(dto)) {
    const message = Object.values(error.constraints ?? {})[0] ?? `${error.property} is not valid.`;
    problems.push({ message, moreInfo: error.property });
  }
  if (problems.length > 0) throw new InvalidRequestError(problems.slice(0, MAX_PROBLEMS));
  return dto;
}

/**
 * For a query or body that the operation does not take.
 * @throws InvalidRequestError when it has anything in it
 */
export function refuseNames(value: unknown): void {
  const problems = [...namedValues(value)].map(([name]) => unknownName(name));
  if (problems.length > 0) throw new InvalidRequestError(problems.slice(0, MAX_PROBLEMS));
}

/** The problem with a field or parameter that the operation does not know. */
export const unknownName = (name: string): Problem => ({
  message: 'Unknown field or parameter.',
  // What a client sent is shown back only as far as it can be a name.
  moreInfo: name.toWellFormed().slice(0, 100),
});

/** A form's entry on its way to a typed value. */
class FormValue {
  constructor(private readonly values: string[]) {}

  as({ kind, options }: FieldDefinition): unknown {
    const { values } = this;
    if (kind.endsWith('[]')) {
      // `key[]=` with nothing after it is how a form says "an empty list".
      if (values.length === 1 && values[0] === '') return [];
      return kind === 'integer[]' ? values.map(toInteger) : values;
    }
    const [first] = values;
    // Clients of the family send `key[]=` for what is no list, too.
    if (values.length > 1) return values;
    if (options.nullable && first === '') return null;
    if (kind === 'integer') return toInteger(first);
    if (kind === 'number') return toNumber(first);
    if (kind === 'boolean') return first === 'true' ? true : first === 'false' ? false : first;
    return first;
  }
}

/** The number that the digits spell, or the text itself, for the field to refuse. */
const toInteger = (text: string | undefined): unknown =>
  text !== undefined && /^-?\d+$/.test(text) ? Number(text) : text;

/** The same with decimals. */
const toNumber = (text: string | undefined): unknown =>
  text !== undefined && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;

function namedValues(value: unknown): Iterable<[string, unknown]> {
  if (value instanceof Form) {
    return [...value.entries].map(([name, values]) => [name, new FormValue(values)]);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidRequestError('The request body must be a JSON object.');
  }
  return Object.entries(value);
}

function normalized({ kind, normalize }: FieldDefinition, value: unknown): unknown {
  if (!normalize) return value;
  const isOfKind = kind.endsWith('[]') ? Array.isArray(value) : typeof value === 'string';
  return isOfKind ? normalize(value) : value;
}
