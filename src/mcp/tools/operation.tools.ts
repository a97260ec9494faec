import * as z from 'zod';
import { missingScopes } from '../../access/scopes';
import { type Caller } from '../../access/caller';
import { loopTurns } from '../../event-loop/loop-turns';
import { type SchemaObject, type SchemaOrReference, type Schemas } from '../../openapi/openapi-types';
import { ToolError } from '../answers/tool-error';
import { type Operation, type OperationCatalogue } from '../operations/operation-catalogue';
import { defineTool, type Tool } from './tool';
import { contentOf, FILE } from './uploads';

const FOUND_AT_ONCE = 6;

/** Returns the tools for all operations without a tool of their own. */
export function operationTools(catalogue: OperationCatalogue): Tool[] {
  const findOperation = defineTool({
    name: 'find_operation',
    title: 'Find further operations',
    description:
      'Finds operations of the API by words, for what no other tool does, such as webhooks, members or shared files; call_operation calls them.',
    input: z.object({ query: z.string().min(1).max(200) }),
    operations: [],
    run: (call, { query }) => {
      const found = search(catalogue, call.caller, query);
      return Promise.resolve({ items: found.map((one) => describe(one, catalogue.schemas)) });
    },
  });
  const callOperation = defineTool({
    name: 'call_operation',
    title: 'Call an operation',
    description: 'Calls an operation that find_operation has found, with its parameters by name.',
    input: z.object({
      operationId: z.string().max(100),
      parameters: z.record(z.string(), z.unknown()).default({}),
    }),
    operations: [],
    isDestructive: true,
    run: async (call, { operationId, parameters }) => {
      const operation = catalogue.operations.get(operationId);
      if (!operation) {
        const similar = search(catalogue, call.caller, operationId).map(({ id }) => id);
        throw new ToolError(
          `There is no operation ${operationId}. Similar: ${similar.join(', ') || 'none'}.`,
        );
      }
      const { content, headers, status } = await call.call(operationId, distribute(operation, parameters));
      const type = String(headers['content-type'] ?? '');
      if (content.length === 0) return { status };
      const text = content.toString('utf8');
      if (!type.includes('json'))
        return type.startsWith('text/') ? { text } : { contentType: type, size: content.length };
      const answer = JSON.parse(text) as unknown;
      await loopTurns.nextSlice();
      return Array.isArray(answer) ? { items: answer } : answer;
    },
  });
  return [findOperation, callOperation];
}

/** Returns the operations that the key may call and that match the most words, the best first. */
function search({ operations }: OperationCatalogue, { scopes }: Caller, query: string): Operation[] {
  const words = wordsOf(query);
  const scored = [...operations.values()]
    .filter(({ scopes: needed }) => !scopes || missingScopes(scopes, needed).length === 0)
    .map((operation) => ({ operation, score: scoreOf(operation, words) }))
    .filter(({ score }) => score > 0);
  scored.sort((one, other) => other.score - one.score);
  return scored.slice(0, FOUND_AT_ONCE).map(({ operation }) => operation);
}

const MAX_WORDS = 20;

/** Returns the distinct words of a query, without an s at their end. */
function wordsOf(query: string): string[] {
  const words = query
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .map((word) => word.replace(/s$/, ''));
  return [...new Set(words.filter((word) => word.length > 1))].slice(0, MAX_WORDS);
}

/** The weights of `searched`. */
const WEIGHTS = [4, 2, 1];

/** Returns how well an operation matches: each word counts where it matters most. */
function scoreOf({ searched }: Operation, words: readonly string[]): number {
  let score = 0;
  for (const word of words) {
    const place = searched.findIndex((text) => text.includes(word));
    score += WEIGHTS[place] ?? 0;
  }
  return score;
}

/** Describes an operation and its parameters in few words. */
function describe(operation: Operation, schemas: Schemas): object {
  const parameters = Object.fromEntries([
    ...operation.parameters.map((one) => [
      one.name,
      shortType(one.schema ?? {}, schemas) + (one.required ? ', required' : ''),
    ]),
    ...bodyParameters(operation, schemas),
  ]) as Record<string, string>;
  return {
    operationId: operation.id,
    effect: operation.method === 'GET' ? 'reads' : operation.method === 'DELETE' ? 'deletes' : 'writes',
    summary: operation.summary,
    description: operation.description.replace(/\s+/g, ' ').slice(0, 300),
    parameters,
  };
}

function bodyParameters({ body, takesFile }: Operation, schemas: Schemas): [string, string][] {
  if (takesFile) return [['file', '{ name, text or base64 }, required']];
  const { properties = {}, required = [] } = body ? resolve(body, schemas) : {};
  return Object.entries(properties).map(([name, schema]) => [
    name,
    shortType(schema, schemas) + (required.includes(name) ? ', required' : ''),
  ]);
}

const resolve = (schema: SchemaOrReference, schemas: Schemas): SchemaObject =>
  '$ref' in schema ? resolve(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, schemas) : schema;

function shortType(schema: SchemaOrReference, schemas: Schemas): string {
  const { type, items, enum: values, format, description } = resolve(schema, schemas);
  const name = items ? `${shortType(items, schemas)}[]` : (type ?? 'object');
  const one = values
    ? values.slice(0, 12).join(' | ')
    : format === 'date-time' || format === 'date'
      ? format
      : name;
  return description && !items ? `${one} (${description.split('.')[0]?.slice(0, 80)})` : one;
}

/** Distributes parameters over path, query and body. */
function distribute(
  operation: Operation,
  given: Readonly<Record<string, unknown>>,
): {
  path: Record<string, string>;
  query: Record<string, unknown>;
  body?: object;
  file?: { name: string; content: Buffer };
} {
  const path: Record<string, string> = {};
  const query: Record<string, unknown> = {};
  const body: Record<string, unknown> = {};
  const places = new Map(operation.parameters.map((one) => [one.name, one.in]));
  let file: { name: string; content: Buffer } | undefined;
  for (const [name, value] of Object.entries(given)) {
    const place = places.get(name);
    if (place === 'path') path[name] = textOf(name, value);
    else if (place === 'query' || operation.method === 'GET') query[name] = value;
    else if (operation.takesFile && name === 'file') file = fileOf(value);
    else body[name] = value;
  }
  return { path, query, file, body: operation.body ? body : undefined };
}

/** @throws ToolError for what cannot be a part of a path */
function textOf(name: string, value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  throw new ToolError(`${name} must be a text or a number.`);
}

/** @throws ToolError for a value that is not a file */
function fileOf(value: unknown): { name: string; content: Buffer } {
  const { success, data } = FILE.safeParse(value);
  if (!success) throw new ToolError('file must be { name, text } or { name, base64 }.');
  return { name: data.name, content: contentOf(data) };
}
