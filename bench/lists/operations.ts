import { type Parameters } from './seeding/seed-lists';

/** A GET operation that answers with a list or with how long one is. */
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

/** What of an OpenAPI document tells lists from other operations. */
export interface OpenApiDocument {
  paths: Record<string, { get?: Operation }>;
  components?: { schemas?: Record<string, Schema> };
}

/** Every operation of a document that answers with an array, or with nothing but a `count`. */
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

/** Puts the values of parameters where a path or a query names them in braces. @throws Error for one that is not there */
export const fillIn = (text: string, parameters: Parameters): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name];
    if (value === undefined) throw new Error(`Nothing was seeded for {${name}}.`);
    return encodeURIComponent(value);
  });

/** How many records a response contains, or counts. */
export function recordsOf(body: string): number {
  const answer = JSON.parse(body) as unknown[] | { count: number };
  return Array.isArray(answer) ? answer.length : answer.count;
}
