import { type INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { SCOPES_EXTENSION, scopesOf, type ScopeTraits } from '../access/scopes';
import { Environment } from '../config/environment';
import { type NamedValuesOptions } from '../http/request/named-values';
import { countLimitMessage, countLimitOf } from '../limits/count-limits';
import { countedAs, type CountedAs, RATE_CLASS_EXTENSION } from '../limits/rate-class';
import { declared } from '../manifests';
import { errorAnswers, RATE_HEADERS, SHARED_ANSWERS } from './error-answers';
import { ErrorBodyDto, ErrorDetailDto } from './error-body.dto';
import { exampleOf } from './examples';
import {
  type HeadersObject,
  type MediaTypeObject,
  type OperationObject,
  type ParameterObject,
  type PathItemObject,
  type SchemaObject,
  type Schemas,
} from './openapi-types';
import { NOTES, type OperationNotes } from './operation';
import { PATH_PARAMETERS, type PathParameter } from './path-parameters';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Only the tags that operations use are listed in the document. */
const TAGS: Readonly<Record<string, string>> = {
  Space: 'The space as a whole: its name, owner and settings.',
  Projects: 'Projects, their members and their administrators.',
  ...declared('tags'),
  'Disk usage': 'Storage used by files and git repositories.',
  Attachments: 'Uploads of files, to be attached within an hour.',
  Users: 'The users of the space, and their API keys.',
  Teams: 'Groups of users that can be added to projects as a whole.',
  Stars: 'Stars that users give to issues, pull requests, wiki pages and comments.',
  Watchings: 'Issues that the caller watches, with notifications of their changes.',
  'Recently viewed': 'The issues, projects and wiki pages recently viewed by the caller.',
  Notifications: "The caller's notifications and the number of unread ones.",
  Activities: 'Activities in the space, in a project or by a user, newest first.',
  Health: 'Checks for load balancers and orchestrators.',
};

/** Creates the OpenAPI document of the application from the same decorators that define its behaviour. Sorted, for readable diffs. */
export function createOpenApiDocument(app: INestApplication): OpenAPIObject {
  const environment = app.get(Environment);
  const { BASE_PATH, PUBLIC_URL = '' } = environment;
  const origin = PUBLIC_URL.replace(/\/$/, '');
  const document = SwaggerModule.createDocument(app, describeService(), {
    // Paths are relative to {base_url}, as in the contract; the server object contains it.
    ignoreGlobalPrefix: true,
    operationIdFactory: (_controller, method) => method,
    extraModels: [ErrorBodyDto, ErrorDetailDto],
  });
  const baseUrl = `${origin}${BASE_PATH === '/' ? '' : BASE_PATH}`;
  document.servers = serverAt(baseUrl);
  const schemas = document.components?.schemas ?? {};
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of operationsOf(item)) {
      completeOperation({ method, path, operation }, schemas, environment);
      if (isProtected(operation)) addRateClass(method, operation);
      addScopes(method, operation);
    }
    if (isOutsideBasePath(path)) item.servers = serverAt(origin);
  }
  describeDefaults(schemas);
  document.components = {
    ...document.components,
    headers: RATE_HEADERS,
    responses: SHARED_ANSWERS,
    schemas: sorted(schemas),
  };
  document.paths = sorted(document.paths);
  document.tags = usedTags(document);
  return withPlainNames(document);
}

/**
 * Moves the defaults of fields of bodies to their descriptions. Generators of clients read a field with a `default` as one that is always
 * present, so that callers would have to send it. Parameters keep theirs.
 */
function describeDefaults(schemas: Schemas): void {
  for (const schema of Object.values(schemas)) {
    if ('$ref' in schema) continue;
    for (const property of Object.values(schema.properties ?? {})) {
      if ('$ref' in property || property.default === undefined) continue;
      property.description = `${property.description ?? ''} Default: \`${String(property.default)}\`.`.trim();
      property.example ??= property.default;
      delete property.default;
    }
  }
}

function describeService(): Omit<OpenAPIObject, 'paths'> {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.0.3')
    .setTitle('Project Management Service')
    .setDescription(
      'Issues, statuses, git repositories with pull requests, wiki pages and webhooks. Bodies may be JSON, `application/x-www-form-urlencoded` or the fields of `multipart/form-data`; lists in forms repeat `key=…` or `key[]=…`. Times are in UTC.\n\n' +
        'Fields of a body may be sent in the query string instead. A field in both must have the same value in both. Unknown fields are rejected, and so are unknown parameters of writes. Reads ignore unknown parameters, except for the lists and counts of issues and the lists of activities, which reject them.\n\n' +
        'Every error response has a list of errors with codes. Code 13 is returned with status 429 if there are too many requests, code 4 with status 403 if the address of the caller is not allowed, code 12 with status 403 if the space requires two-factor authentication and the user has not set it up. The codes 2 and 3 (licence) are reserved and never returned.\n\n' +
        `Requests are limited per user and minute, in the four classes listed by \`GET /rateLimit\`. Each operation states its class in \`${RATE_CLASS_EXTENSION}\`; \`X-RateLimit-Remaining\` states the remaining number.\n\n` +
        `An API key may be limited by scopes. Each operation states those that such a key needs in \`${SCOPES_EXTENSION}\`. A key that lacks any gets status 403 with code 5, and \`moreInfo\` names all of them. \`write\` includes \`read\`; \`read\` and \`write\` without an area include all areas. Whatever an Administrator may do beyond a normal user also needs \`admin\`. An expired key gets status 401.\n\n` +
        'The examples use the demo project created by the first start. Examples of reads work as they are; for those of deliveries, first send a test to the webhook. Examples of writes show the form of a request; some refer to objects that must be created first.',
    )
    .setVersion('2')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addSecurity('apiKeyHeader', {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description: 'An API key. `Backlog-API-Key` is accepted as well.',
    })
    .addSecurity('bearer', {
      type: 'http',
      scheme: 'bearer',
      description: 'An API key: `Authorization: Bearer KEY`.',
    })
    .addSecurity('apiKeyQuery', { type: 'apiKey', in: 'query', name: 'apiKey', description: 'An API key.' });
  return builder.build();
}

function usedTags({ paths }: OpenAPIObject): OpenAPIObject['tags'] {
  const used = new Set(
    Object.values(paths)
      .flatMap(operationsOf)
      .flatMap(([, { tags }]) => tags ?? []),
  );
  return Object.entries(TAGS)
    .filter(([name]) => used.has(name))
    .map(([name, description]) => ({ name, description }));
}

/** Names the schemas after the resources, as readers and client generators expect, instead of our classes. */
function withPlainNames(document: OpenAPIObject): OpenAPIObject {
  const schemas = Object.fromEntries(
    Object.entries(document.components?.schemas ?? {}).map(([name, schema]) => [
      name.replace(/Dto$/, ''),
      schema,
    ]),
  );
  const text = JSON.stringify({ ...document, components: { ...document.components, schemas } });
  return JSON.parse(text.replace(/(#\/components\/schemas\/\w+)Dto"/g, '$1"')) as OpenAPIObject;
}

const serverAt = (url: string): OpenAPIObject['servers'] => [
  { url: url || '/', description: 'This service' },
];

const operationsOf = (item: PathItemObject): [method: string, operation: OperationObject][] =>
  METHODS.flatMap((method): [string, OperationObject][] => {
    const operation = item[method];
    return operation ? [[method, operation]] : [];
  });

const isProtected = ({ security = [] }: OperationObject): boolean => security.length > 0;

const isOutsideBasePath = (path: string): boolean => path.startsWith('/health/');

/** Adds the parts implied by the path, the access rule and the schemas: parameters, forms, errors and examples. */
function completeOperation(
  { method, path, operation }: { method: string; path: string; operation: OperationObject },
  schemas: Schemas,
  environment: Environment,
): void {
  const {
    countLimit = [],
    refusesUnknownParameters,
    filtersInBody,
    namedValues,
    ...notes
  } = extractNotes(operation);
  const countLimits = [countLimit].flat().filter((name) => countLimitOf(name, environment) > 0);
  const parameters = pathParameters(path, notes.pathExamples);
  operation.parameters = [...parameters.map(({ parameter }) => parameter), ...(operation.parameters ?? [])];
  // An explicit empty list, so that a public operation does not look like an oversight.
  operation.security ??= [];
  const body = bodyOf(operation);
  addExamples([body], schemas);
  if (namedValues) describeNamedValues(operation, body, schemas, namedValues);
  addExamples(Object.values(operation.responses).map(contentOf), schemas, notes.example);
  addFormContent(body);
  Object.assign(
    operation.responses,
    errorAnswers({
      isProtected: isProtected(operation),
      takesBody: operation.requestBody !== undefined || filtersInBody === true,
      takesFile: operation.requestBody !== undefined && !('application/json' in body),
      unknown: method !== 'get' ? 'field' : refusesUnknownParameters ? 'parameter' : undefined,
      names: parameters.map(({ names }) => names),
      countLimits: countLimits.map((name) => countLimitMessage(name, environment)),
      namesInQuery: (notes.namingParameters ?? []).map((name) => pathParameter(name).names),
      ...notes,
      incomplete: notes.incomplete?.(),
    }),
  );
}

/** Replaces what the access rule says about scopes with the scopes that a key needs. */
function addScopes(
  method: string,
  operation: OperationObject & { [SCOPES_EXTENSION]?: unknown; [RATE_CLASS_EXTENSION]?: CountedAs },
): void {
  const traits = operation[SCOPES_EXTENSION] as ScopeTraits | undefined;
  if (!traits) return;
  operation[SCOPES_EXTENSION] = scopesOf({
    traits,
    tags: operation.tags ?? [],
    method: method.toUpperCase(),
    counted: operation[RATE_CLASS_EXTENSION],
  });
}

/** Adds the rate class of the requests, and the headers with the remaining budget of that class. */
function addRateClass(
  method: string,
  operation: OperationObject & { [RATE_CLASS_EXTENSION]?: CountedAs },
): void {
  operation[RATE_CLASS_EXTENSION] = countedAs(method.toUpperCase(), operation[RATE_CLASS_EXTENSION]);
  for (const [status, response] of Object.entries(operation.responses)) {
    if (!status.startsWith('2') || !response || '$ref' in response) continue;
    const references = Object.keys(RATE_HEADERS).map((name) => [
      name,
      { $ref: `#/components/headers/${name}` },
    ]);
    response.headers = { ...response.headers, ...(Object.fromEntries(references) as HeadersObject) };
  }
}

function extractNotes(operation: OperationObject & { [NOTES]?: OperationNotes }): OperationNotes {
  const notes = operation[NOTES];
  if (!notes) throw new Error(`${operation.operationId} has no @Operation()`);
  Reflect.deleteProperty(operation, NOTES);
  return notes;
}

function pathParameters(
  path: string,
  examples: OperationNotes['pathExamples'] = {},
): { names: string; parameter: ParameterObject }[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const { names, example, ...rest } = pathParameter(name);
    return {
      names,
      parameter: { name, in: 'path', required: true, ...rest, example: examples[name] ?? example },
    };
  });
}

function pathParameter(name: string): PathParameter {
  const known = { ...PATH_PARAMETERS, ...(declared('pathParameters') as typeof PATH_PARAMETERS) }[name];
  if (!known) throw new Error(`No manifest describes the path parameter ${name}`);
  return known;
}

type Content = Record<string, MediaTypeObject>;

const contentOf = (part: OperationObject['responses'][string]): Content =>
  part && 'content' in part ? (part.content ?? {}) : {};

const bodyOf = ({ requestBody }: OperationObject): Content =>
  requestBody && 'content' in requestBody ? requestBody.content : {};

function addExamples(contents: Content[], schemas: Schemas, fields?: Record<string, unknown>): void {
  for (const media of contents.flatMap((content) => Object.values(content))) {
    if (!media.schema) continue;
    const example = exampleOf(media.schema, schemas);
    const fit = (value: unknown): unknown => (fields ? { ...(value as object), ...fields } : value);
    media.example = Array.isArray(example) ? example.map(fit) : fit(example);
  }
}

/**
 * Describes fields whose names follow a pattern: those of a body as its additional properties, parameters as the properties of an
 * object. OpenAPI 3.0 does not support patterns for names.
 */
function describeNamedValues(
  operation: OperationObject,
  body: Content,
  schemas: Schemas,
  { name, description }: NamedValuesOptions,
): void {
  const text: SchemaObject = { type: 'string' };
  const number: SchemaObject = { type: 'number' };
  const list: SchemaObject = { type: 'array', items: { anyOf: [text, number] } };
  const schema = body['application/json']?.schema;
  const additionalProperties = {
    description,
    anyOf: [text, number, list],
    'x-additionalPropertiesName': name,
  };
  if (schema && '$ref' in schema) {
    // Without null, generated types would not permit it in the other fields of the body either.
    additionalProperties.anyOf = [{ ...text, nullable: true }, number, list];
    const model = schemas[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)];
    if (model && !('$ref' in model)) model.additionalProperties = additionalProperties;
    return;
  }
  operation.parameters?.push({
    name: 'customFields',
    in: 'query',
    required: false,
    description,
    style: 'form',
    explode: true,
    schema: { type: 'object', additionalProperties },
    // Otherwise Swagger UI would send a parameter invented from the schema.
    example: {},
  });
}

/** Adds the body as a form with the same fields, as sent by the family's clients. */
function addFormContent(body: Content): void {
  const json = body['application/json'];
  if (!json) return;
  body['application/x-www-form-urlencoded'] = json;
  body['multipart/form-data'] = json;
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
