import { type INestApplication } from '@nestjs/common';
import { DocumentBuilder, getSchemaPath, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { ErrorBodyDto, ErrorDetailDto } from './error-body.dto';
import { type OperationObject, type ParameterObject, type PathItemObject } from './openapi-types';
import { PATH_PARAMETERS } from './path-parameters';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

const TAGS: Readonly<Record<string, string>> = {
  'Pull requests': 'Pull requests of git repositories, and their comments.',
  Issues: 'Issues and their comments.',
  'Project settings': 'Issue types and statuses of projects.',
  Wikis: 'Wiki pages.',
  Webhooks: "Addresses that a project's events are sent to.",
  Attachments: 'Files: uploaded first, attached to something later.',
  Users: 'The users of the space.',
  Health: 'What a load balancer or an orchestrator asks.',
};

/** Describes the application in OpenAPI, from the same decorators that it runs by. Sorted, so that a diff reads well. */
export function createOpenApiDocument(app: INestApplication): OpenAPIObject {
  const document = SwaggerModule.createDocument(app, describeService(), {
    operationIdFactory: (_controller, method) => method,
    extraModels: [ErrorBodyDto, ErrorDetailDto],
  });
  for (const [path, item] of Object.entries(document.paths)) {
    for (const operation of operationsOf(item)) completeOperation(path, operation);
  }
  document.components = { ...document.components, schemas: sorted(document.components?.schemas ?? {}) };
  document.paths = sorted(document.paths);
  return document;
}

function describeService(): Omit<OpenAPIObject, 'paths'> {
  const builder = new DocumentBuilder()
    .setTitle('Project Management Service')
    .setDescription(
      'Issues, statuses, git repositories with pull requests, wiki pages and webhooks. Bodies may be JSON, ' +
        '`application/x-www-form-urlencoded` or the fields of `multipart/form-data`; lists in forms are `key[]=…`. ' +
        'Times are UTC. Unknown fields and parameters are refused.',
    )
    .setVersion('2')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/', 'This service')
    .addSecurity('bearer', {
      type: 'http',
      scheme: 'bearer',
      description: 'An API key: `Authorization: Bearer KEY`.',
    })
    .addSecurity('apiKeyHeader', {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description: 'An API key. `Backlog-API-Key` is read as well.',
    })
    .addSecurity('apiKeyQuery', { type: 'apiKey', in: 'query', name: 'apiKey', description: 'An API key.' });
  for (const [name, description] of Object.entries(TAGS)) builder.addTag(name, description);
  return builder.build();
}

const operationsOf = (item: PathItemObject): OperationObject[] =>
  METHODS.flatMap((method) => item[method] ?? []);

/** Adds what follows from the path and the access rule: path parameters, the same body in forms, and the errors. */
function completeOperation(path: string, operation: OperationObject): void {
  operation.parameters = [...pathParameters(path), ...(operation.parameters ?? [])];
  offerForms(operation);
  const errors = errorStatuses(path, operation);
  for (const [status, description] of Object.entries(errors)) {
    operation.responses[status] = {
      description,
      content: { 'application/json': { schema: { $ref: getSchemaPath(ErrorBodyDto) } } },
    };
  }
}

function pathParameters(path: string): ParameterObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const parameter = PATH_PARAMETERS[name];
    if (!parameter) throw new Error(`openapi/path-parameters.ts does not describe {${name}} of ${path}`);
    return { name, in: 'path', required: true, ...parameter };
  });
}

function offerForms({ requestBody }: OperationObject): void {
  if (!requestBody || '$ref' in requestBody) return;
  const json = requestBody.content['application/json'];
  if (json) requestBody.content['application/x-www-form-urlencoded'] = json;
}

function errorStatuses(path: string, operation: OperationObject): Record<string, string> {
  const isProtected = (operation.security ?? []).length > 0;
  const takesInput = operation.requestBody !== undefined || (operation.parameters ?? []).length > 0;
  return {
    ...(takesInput && { 400: 'Invalid request (code 7): `moreInfo` names the field.' }),
    ...(isProtected && {
      401: 'No valid credential (code 11).',
      403: 'The caller may not do this (codes 2, 3, 4, 5, 12).',
    }),
    ...(path.includes('{') && { 404: 'The path names nothing that the caller may see (code 6).' }),
    ...(operation.requestBody && {
      409: 'A count limit would be exceeded (code 9).',
      413: 'The body or the file is too large (code 10), or the space is full (code 8).',
    }),
    ...(isProtected && { 429: 'Too many requests (code 13).' }),
    default: 'Any other error: 500 for a bug, 503 while the database cannot be reached (code 1).',
  };
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
