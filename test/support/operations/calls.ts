import { ApiClient, type ApiResponse } from '../api';
import { type World } from '../world';
import { type Names, type OperationCase } from './operation-case';

/** A case together with its operation in the OpenAPI document. */
export interface TestedOperation extends OperationCase {
  /** The `operationId`. */
  id: string;
  /** In upper case. */
  method: string;
  /** With `{parameters}`. */
  path: string;
  /** The status of a success. */
  status: number;
  takesBody: boolean;
  /** Whether the body is a form with a file. */
  takesFile: boolean;
  returnsList: boolean;
  /** Whether it has the parameter `count`. */
  isPaged: boolean;
  isOutsideBasePath: boolean;
}

/** The content of a call apart from the names. */
export interface CallContent {
  body?: object;
  /** In addition to the query of the case. */
  query?: Record<string, string> | URLSearchParams;
  headers?: Record<string, string>;
}

/** Returns the fields of a body as parameters of a query string or form. */
export const asParameters = (body: object): URLSearchParams =>
  new URLSearchParams(
    Object.entries(body as Record<string, string | number | boolean | null | (string | number)[]>).flatMap(
      ([name, value]): [string, string][] =>
        Array.isArray(value)
          ? value.map((one) => [`${name}[]`, String(one)])
          : [[name, value === null ? '' : String(value)]],
    ),
  );

/** Calls an operation; without a key, no credential is sent. */
export function call(
  world: World,
  operation: TestedOperation,
  key: string | undefined,
  names: Names,
  { body, query, headers }: CallContent = {},
): Promise<ApiResponse> {
  const { baseUrl } = world.server;
  const base = operation.isOutsideBasePath ? new URL(baseUrl).origin : baseUrl;
  const path = addressOf(operation, names, query);
  return new ApiClient(base, key).send(operation.method, path, body, headers);
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

/** Returns the same names with ids instead of keys. */
export const byId = (names: Names): Names =>
  Object.fromEntries(
    Object.entries(names).map(([name, value]) => [
      name,
      typeof value === 'object' ? String(value.id) : value,
    ]),
  );

/** Returns variants of the names, each with one of them replaced by a missing value, in each of its forms. */
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
 * Returns variants of names that exist, but not together: in each, one name comes from another target. Targets that differ in at
 * most one name are in the same place and give no variants.
 */
export function mixedVariants(here: Names, there: Names): Names[] {
  const different = Object.keys(here).filter((name) => written(here[name]!) !== written(there[name]!));
  return different.length < 2 ? [] : different.map((name) => ({ ...here, [name]: there[name]! }));
}

/** Formats names for an error message. */
export const shown = (names: Names): string =>
  Object.entries(names)
    .map(([name, value]) => `${name}=${written(value)}`)
    .join(' ');
