import { InvalidRequestError, type Problem } from '../../errors/domain-errors';

/** Maximum number of problems in a response; without it, the response to many unknown names would be much larger than the request. */
export const MAX_PROBLEMS = 100;

const STRICT = Symbol('refuses unknown parameters');

/**
 * Marks a query whose unknown parameters are refused instead of ignored, because a misspelt filter would list everything
 * (`docs/decisions/0005-requests.md`).
 */
export const RefuseUnknownParameters = (): ClassDecorator => Reflect.metadata(STRICT, true);

const OF_WRITE = Symbol('parameters of a write');

/** Marks the query of a write whose handler reads the body itself: its unknown parameters are refused like fields of a body. */
export const ParametersOfWrite = (): ClassDecorator => Reflect.metadata(OF_WRITE, true);

/** Whether a query class belongs to a write. */
export const isOfWrite = (query: object): boolean => Reflect.hasMetadata(OF_WRITE, query);

/** Whether a query class refuses unknown parameters. */
export const refusesUnknownParameters = (query: object): boolean => Reflect.hasMetadata(STRICT, query);

/** Returns the problem for an unknown field of a body or parameter of a write. */
export const unknownName = (name: string): Problem => ({
  message: `Unknown field or parameter${name === '' ? '' : `: ${echoed(name)}`}.`,
  moreInfo: echoed(name),
});

/** Returns the problem for an unknown parameter of a read that does not ignore it, in the words that the family's clients expect. */
export const unknownParameter = (name: string): Problem => ({
  message: `error.unknownParameter : ${echoed(name)}`,
  moreInfo: '',
});

/** Limits the client's text to the length that a name could have. */
const echoed = (name: string): string => name.toWellFormed().slice(0, 100);

/**
 * Refuses the parameters of a write that accepts none.
 * @throws InvalidRequestError when there are any
 */
export function refuseNames(names: Iterable<string>): void {
  const problems = [...names].map(unknownName);
  if (problems.length > 0) throw new InvalidRequestError(problems.slice(0, MAX_PROBLEMS));
}
