import { type Parameters } from './seeded-resource';

/** A GET operation that returns a list, or the length of one. */
export interface ListOperation {
  id: string;
  /** `/issues/{issueIdOrKey}/comments`, relative to the base path. */
  path: string;
}

interface Schema {
  $ref?: string;
  type?: string;
  properties?: Record<string, unknown>;
}

interface Operation {
  operationId?: string;
  responses?: Record<string, { content?: Record<string, { schema?: Schema }> }>;
}

/** The parts of an OpenAPI document that identify lists. */
export interface OpenApiDocument {
  paths: Record<string, { get?: Operation }>;
  components?: { schemas?: Record<string, Schema> };
}

/** Returns every operation of a document whose response is an array, or only a `count`. */
export function listOperations({ paths, components }: OpenApiDocument): ListOperation[] {
  const resolve = ({ $ref, ...schema }: Schema): Schema =>
    $ref === undefined ? schema : (components?.schemas?.[$ref.split('/').at(-1) ?? ''] ?? {});
  return Object.entries(paths).flatMap(([path, { get }]) => {
    const answer = get?.responses?.['200']?.content?.['application/json']?.schema;
    if (!get?.operationId || !answer) return [];
    const { type, properties } = resolve(answer);
    const isCount = Object.keys(properties ?? {}).join() === 'count';
    return type === 'array' || isCount ? [{ id: get.operationId, path }] : [];
  });
}

/** Replaces the names in braces of a path or a query with the values of parameters. @throws Error for an unknown name */
export const fillIn = (text: string, parameters: Parameters): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name];
    if (value === undefined) throw new Error(`Nothing was seeded for {${name}}.`);
    return encodeURIComponent(value);
  });

/** Returns the number of records in a response, or the value of a count. */
export function recordsOf(body: string): number {
  const answer = JSON.parse(body) as unknown[] | { count: number };
  return Array.isArray(answer) ? answer.length : answer.count;
}
