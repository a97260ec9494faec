import { ApiClient, type ApiResponse } from '../api';
import { type World } from '../world';
import { type Names, type OperationCase } from './operation-case';

/** A case with what the OpenAPI document says of its operation. */
export interface TestedOperation extends OperationCase {
  /** Its `operationId`. */
  id: string;
  /** In capitals. */
  method: string;
  /** With `{parameters}`. */
  path: string;
  /** Of its success. */
  status: number;
  takesBody: boolean;
  /** The body is a form with a file. */
  takesFile: boolean;
  returnsList: boolean;
  /** Takes `count`. */
  isPaged: boolean;
  isOutsideBasePath: boolean;
}

/** What is sent beside the names. */
export interface CallContent {
  body?: object;
  /** Beside the query of the case. */
  query?: Record<string, string> | URLSearchParams;
}

/** The fields of a body as a query string or form has them. */
export const asParameters = (body: object): URLSearchParams =>
  new URLSearchParams(
    Object.entries(body as Record<string, string | number | boolean | null | (string | number)[]>).flatMap(
      ([name, value]): [string, string][] =>
        Array.isArray(value)
          ? value.map((one) => [`${name}[]`, String(one)])
          : [[name, value === null ? '' : String(value)]],
    ),
  );

/** Calls an operation; no key is no credential. */
export function call(
  world: World,
  operation: TestedOperation,
  key: string | undefined,
  names: Names,
  { body, query }: CallContent = {},
): Promise<ApiResponse> {
  const { baseUrl } = world.server;
  const base = operation.isOutsideBasePath ? new URL(baseUrl).origin : baseUrl;
  const path = addressOf(operation, names, query);
  return new ApiClient(base, key).send(operation.method, path, body);
}

function addressOf(operation: TestedOperation, names: Names, query: CallContent['query'] = {}): string {
  const parameters = new Map(Object.entries(names).map(([name, value]) => [name, written(value)]));
  const path = operation.path.replace(/\{(\w+)\}/g, (_match, name: string) => {
    const value = parameters.get(name);
    if (value === undefined) throw new Error(`The names of ${operation.id} lack ${name}.`);
    if (/IdOr(Key|Name)$/.test(name) && typeof names[name] === 'number')
      throw new Error(`${name} of ${operation.id} needs both forms: { id, key }.`);
    parameters.delete(name);
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams([
    ...parameters,
    ...Object.entries(operation.query ?? {}),
    ...(query instanceof URLSearchParams ? query : Object.entries(query)),
  ]).toString();
  return search === '' ? path : `${path}?${search}`;
}

const written = (name: Names[string]): string => String(typeof name === 'object' ? name.key : name);

/** The same with ids in the place of keys. */
export const byId = (names: Names): Names =>
  Object.fromEntries(
    Object.entries(names).map(([name, value]) => [
      name,
      typeof value === 'object' ? String(value.id) : value,
    ]),
  );

/** The names with one after the other replaced by what does not exist, in each of its forms. */
export function missingVariants(names: Names): Names[] {
  return Object.entries(names).flatMap(([name, value]) =>
    missingLike(value).map((missing) => ({ ...names, [name]: missing })),
  );
}

function missingLike(value: Names[string]): string[] {
  if (typeof value === 'number') return [NO_ID];
  const key = /-\d+$/.test(written(value)) ? 'NOSUCH-1' : 'NOSUCH';
  return typeof value === 'object' ? [NO_ID, key] : [key];
}

const NO_ID = '999999';

/**
 * Names that exist, but not together: one after the other taken from another target. Targets that differ in no more than
 * one name are in the same place, and say nothing.
 */
export function mixedVariants(here: Names, there: Names): Names[] {
  const different = Object.keys(here).filter((name) => written(here[name]!) !== written(there[name]!));
  return different.length < 2 ? [] : different.map((name) => ({ ...here, [name]: there[name]! }));
}

/** Names as a failure shows them. */
export const shown = (names: Names): string =>
  Object.entries(names)
    .map(([name, value]) => `${name}=${written(value)}`)
    .join(' ');
