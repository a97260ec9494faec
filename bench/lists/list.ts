import { type CallerName } from './callers';

/** One request for a list. */
export interface List {
  /** The `operationId`. */
  operation: string;
  /** The query string; a name in braces stands for a seeded value, as in the operation's path. */
  query: string;
  caller: CallerName;
  /** Parameters of the path with a value other than the usual one. */
  path: Readonly<Record<string, string>>;
  /** True when the list contains nothing that the caller may see. */
  isEmpty: boolean;
}

export const list = (operation: string, query = '', rest: Partial<List> = {}): List => ({
  operation,
  query,
  caller: 'administrator',
  path: {},
  isEmpty: false,
  ...rest,
});

export const one = { caller: 'memberOfOne' } as const;
export const ten = { caller: 'memberOfTen' } as const;
export const empty = { isEmpty: true } as const;
