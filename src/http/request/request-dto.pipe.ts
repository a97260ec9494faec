import { isDeepStrictEqual } from 'node:util';
import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { InvalidRequestError, type Problem } from '../../errors/domain-errors';
import { BodyAndQuery } from './body-and-query';
import { type FieldDefinition, fieldsOf } from './field';
import { FormTexts, readField } from './field-reader';
import { Form } from './form';
import {
  isSameNamedValue,
  NAMED_VALUE_RULE,
  type NamedValue,
  namedValuesOf,
  nameOfValue,
  readNamedValue,
} from './named-values';
import {
  isOfWrite,
  MAX_PROBLEMS,
  refusesUnknownParameters,
  unknownName,
  unknownParameter,
} from './unknown-names';
import { validate } from './validation';

type DtoClass = new () => object;

/**
 * Creates the request DTOs that handlers take as their body or query, and reports every problem at once. `RequestDtoCheck` has
 * verified at startup that these are classes with fields.
 */
@Injectable()
export class RequestDtoPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (type === 'body') return bindRequest(metatype as DtoClass, value);
    return type === 'query' ? bindQuery(metatype as DtoClass, value as Form | BodyAndQuery) : value;
  }
}

/**
 * Builds a request DTO from a form or a JSON value: refuses unknown names, normalises and validates known ones. A field of a
 * write may be in the query string instead; if it is in both places, the values must be equal.
 * @throws InvalidRequestError with one problem for each invalid field
 */
export function bindRequest<Dto extends object>(dtoClass: new () => Dto, value: unknown): Dto {
  return bind(dtoClass, sourcesOf(value), unknownName);
}

/**
 * Builds the DTO of a query string. Unknown parameters are ignored unless the class refuses them.
 * @throws InvalidRequestError with one problem for each invalid parameter
 */
export function bindQuery<Dto extends object>(dtoClass: new () => Dto, query: Form | BodyAndQuery): Dto {
  const ofRead = refusesUnknownParameters(dtoClass) ? unknownParameter : undefined;
  return bind(dtoClass, sourcesOf(query), isOfWrite(dtoClass) ? unknownName : ofRead);
}

const sourcesOf = (value: unknown): unknown[] =>
  value instanceof BodyAndQuery ? [value.query, value.body] : [value];

/** @param sources forms and JSON values; a field given in several must have the same value in each */
function bind<Dto extends object>(
  dtoClass: new () => Dto,
  sources: readonly unknown[],
  refusal: ((name: string) => Problem) | undefined,
): Dto {
  const fields = fieldsOf(dtoClass) as Map<string, FieldDefinition>;
  const dto = new dtoClass();
  const given = new Map<string, unknown>();
  const unknown = new Set<string>();
  const problems: Problem[] = [];
  const named = namedValuesOf(dtoClass);
  const values = new Map<string, NamedValue>();
  for (const [name, raw] of sources.flatMap(entriesOf)) {
    const definition = fields.get(name);
    if (!definition) {
      const valueName = nameOfValue(named, name);
      if (valueName === undefined) unknown.add(name);
      else problems.push(...takeNamedValue(values, valueName, raw));
      continue;
    }
    const value = readField(definition, raw);
    if (given.has(name) && !isDeepStrictEqual(value, given.get(name))) problems.push(contradiction(name));
    given.set(name, value);
  }
  // A form without any value of a required list has an empty one (`docs/decisions/0005-requests.md`).
  if (sources.at(-1) instanceof Form && refusal === unknownName) {
    for (const [name, definition] of fields) {
      if (isRequiredList(definition) && !given.has(name)) given.set(name, []);
    }
  }
  if (refusal) problems.unshift(...[...unknown].slice(0, MAX_PROBLEMS).map(refusal));
  Object.assign(dto, Object.fromEntries(given), named && { [named.property]: values });
  for (const error of validate(dto)) {
    const message = Object.values(error.constraints ?? {})[0] ?? `${error.property} is not valid.`;
    problems.push({ message, moreInfo: error.property });
  }
  if (problems.length > 0) throw new InvalidRequestError(problems.slice(0, MAX_PROBLEMS));
  return dto;
}

const isRequiredList = ({ kind, options }: FieldDefinition): boolean =>
  kind.endsWith('[]') && !options.optional;

const contradiction = (name: string): Problem => ({
  message: `${name} has one value in the query string and another in the body.`,
  moreInfo: name,
});

/** Adds a field whose name follows a pattern; returns the problems with its value. */
function takeNamedValue(values: Map<string, NamedValue>, name: string, raw: unknown): Problem[] {
  const value = readNamedValue(raw);
  if (value === undefined) return [{ message: `${name} ${NAMED_VALUE_RULE}.`, moreInfo: name }];
  const before = values.get(name);
  values.set(name, value);
  return before === undefined || isSameNamedValue(before, value) ? [] : [contradiction(name)];
}

function entriesOf(value: unknown): [string, unknown][] {
  if (value instanceof Form) {
    return [...value.entries].map(([name, values]) => [name, new FormTexts(values)]);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidRequestError('The request body must be a JSON object.');
  }
  return Object.entries(value);
}
