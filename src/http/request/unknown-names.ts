import { InvalidRequestError, type Problem } from '../../errors/domain-errors';

/** Most problems in an answer; without a limit, that to a request of unknown names would be many times as large as the request. */
export const MAX_PROBLEMS = 100;

const STRICT = Symbol('refuses unknown parameters');

/**
 * A query whose unknown parameters are refused instead of ignored, because a misspelt filter would list everything
 * (`docs/decisions/0005-requests.md`).
 */
export const RefuseUnknownParameters = (): ClassDecorator => Reflect.metadata(STRICT, true);

const OF_WRITE = Symbol('parameters of a write');

/** The query of a write whose handler reads the body itself: its unknown parameters are refused as fields of a body are. */
export const ParametersOfWrite = (): ClassDecorator => Reflect.metadata(OF_WRITE, true);

/** Whether a query, by its class, is that of a write. */
export const isOfWrite = (query: object): boolean => Reflect.hasMetadata(OF_WRITE, query);

/** Whether a query, by its class, refuses unknown parameters. */
export const refusesUnknownParameters = (query: object): boolean => Reflect.hasMetadata(STRICT, query);

/** The problem with a field of a body, or a parameter of a write, that the operation does not know. */
export const unknownName = (name: string): Problem => ({
  message: 'Unknown field or parameter.',
  moreInfo: echoed(name),
});

/** The problem with an unknown parameter of a read that does not ignore it, in the words that the family's clients know. */
export const unknownParameter = (name: string): Problem => ({
  message: `error.unknownParameter : ${echoed(name)}`,
  moreInfo: '',
});

/** Only as much of the client's text as a name could have. */
const echoed = (name: string): string => name.toWellFormed().slice(0, 100);

/**
 * Refuses the parameters of a write that takes none.
 * @throws InvalidRequestError when there are any
 */
export function refuseNames(names: Iterable<string>): void {
  const problems = [...names].map(unknownName);
  if (problems.length > 0) throw new InvalidRequestError(problems.slice(0, MAX_PROBLEMS));
}
