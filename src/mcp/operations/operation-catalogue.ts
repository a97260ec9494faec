import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Scope, SCOPES_EXTENSION } from '../../access/scopes';
import { PACKAGE_FOLDER } from '../../config/version';
import { type ParameterObject, type SchemaOrReference, type Schemas } from '../../openapi/openapi-types';

/** A public operation, as `openapi.json` describes it. */
export interface Operation {
  id: string;
  /** In capitals. */
  method: string;
  /** With `{parameters}`, below the base path. */
  path: string;
  summary: string;
  description: string;
  parameters: readonly ParameterObject[];
  /** The schema of its JSON body. */
  body: SchemaOrReference | undefined;
  /** Whether it takes a form with a file in place of JSON. */
  takesFile: boolean;
  scopes: readonly Scope[];
  /** What searches look at, in lower case, the most important first. */
  searched: readonly string[];
}

interface Document {
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Schemas };
}

interface DocumentedOperation {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: ParameterObject[];
  requestBody?: { content?: Record<string, { schema?: SchemaOrReference }> };
  [SCOPES_EXTENSION]?: Scope[];
}

/** The public operations, by their ids. */
export interface OperationCatalogue {
  operations: ReadonlyMap<string, Operation>;
  schemas: Schemas;
}

/** Reads the catalogue from the OpenAPI document beside `package.json`. */
export async function readCatalogue(): Promise<OperationCatalogue> {
  const { paths, components } = JSON.parse(
    await readFile(join(PACKAGE_FOLDER, 'openapi.json'), 'utf8'),
  ) as Document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => toOperation(path, method, operation) ?? []),
  );
  return { operations: new Map(operations.map((one) => [one.id, one])), schemas: components.schemas };
}

/** Returns undefined for what needs no key, such as health checks, and therefore is not a tool. */
function toOperation(path: string, method: string, operation: DocumentedOperation): Operation | undefined {
  const { operationId: id, [SCOPES_EXTENSION]: scopes, requestBody } = operation;
  if (id === undefined || scopes === undefined) return undefined;
  const content = requestBody?.content;
  return {
    id,
    method: method.toUpperCase(),
    path,
    summary: operation.summary ?? '',
    description: operation.description ?? '',
    parameters: operation.parameters ?? [],
    body: content?.['application/json']?.schema,
    takesFile: content !== undefined && !content['application/json'],
    scopes,
    searched: [
      `${id} ${operation.summary ?? ''}`,
      `${path} ${operation.tags?.[0] ?? ''}`,
      operation.description ?? '',
    ].map((text) => text.toLowerCase()),
  };
}
