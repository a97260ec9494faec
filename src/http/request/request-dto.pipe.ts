import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { validateSync } from 'class-validator';
import { InvalidRequestError, type Problem } from '../../errors/domain-errors';
import { type FieldDefinition, fieldsOf } from './field';
import { FormTexts, readField } from './field-reader';
import { Form } from './form';

type DtoClass = new () => object;

/** Most problems in an answer; without a limit, that to a body of unknown names would be many times as large as the body. */
const MAX_PROBLEMS = 100;

/**
 * Makes the request DTOs that handlers take as their body or query, and reports every problem at once. `RequestDtoCheck` has made
 * sure at the start that these are classes with fields.
 */
@Injectable()
export class RequestDtoPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    return type === 'body' || type === 'query' ? bindRequest(metatype as DtoClass, value) : value;
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
    (dto as Record<string, unknown>)[name] = readField(definition, given);
  }
  for (const error of validateSync(dto, { stopAtFirstError: true })) {
    const message = Object.values(error.constraints ?? {})[0] ?? `${error.property} is not valid.`;
    problems.push({ message, moreInfo: error.property });
  }
  if (problems.length > 0) throw new InvalidRequestError(problems.slice(0, MAX_PROBLEMS));
  return dto;
}

/**
 * Refuses the query or body of an operation that takes none.
 * @throws InvalidRequestError when it contains anything
 */
export function refuseNames(value: unknown): void {
  const problems = [...namedValues(value)].map(([name]) => unknownName(name));
  if (problems.length > 0) throw new InvalidRequestError(problems.slice(0, MAX_PROBLEMS));
}

/** The problem with a field or parameter that the operation does not know. */
export const unknownName = (name: string): Problem => ({
  message: 'Unknown field or parameter.',
  // Only as much of the client's text is echoed as a name could have.
  moreInfo: name.toWellFormed().slice(0, 100),
});

function namedValues(value: unknown): Iterable<[string, unknown]> {
  if (value instanceof Form) {
    return [...value.entries].map(([name, values]) => [name, new FormTexts(values)]);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidRequestError('The request body must be a JSON object.');
  }
  return Object.entries(value);
}
