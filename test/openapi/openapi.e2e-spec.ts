import { Logger } from '@nestjs/common';
import { type OpenAPIObject } from '@nestjs/swagger';
import { type MediaTypeObject, type ResponseObject } from '../../src/openapi/openapi-types';
import {
  checkConformance,
  documentedOperations,
  documentedResponse,
  openApiDocument,
  schemaProblems,
} from '../support/conformance';
import { World } from '../support/world';

const PUBLIC_OPERATIONS = ['getLiveness', 'getReadiness'];

const PULL_REQUEST_COMMENTS =
  '/projects/{projectIdOrKey}/git/repositories/{repoIdOrName}/pullRequests/{number}/comments';

/** Each operation of `docs/protocol.md#core-operations`: method, path, success status, required fields of the body. */
const CONTRACT: [string, string, number, string[]][] = [
  ['get', PULL_REQUEST_COMMENTS, 200, []],
  ['patch', `${PULL_REQUEST_COMMENTS}/{commentId}`, 200, ['content']],
  ['post', '/issues/{issueIdOrKey}/comments', 201, ['content']],
  ['post', '/issues/{issueIdOrKey}/comments/{commentId}/notifications', 200, ['notifiedUserId']],
  ['post', '/projects/{projectIdOrKey}/issueTypes', 201, ['name', 'color']],
  ['post', '/projects/{projectIdOrKey}/statuses', 201, ['name', 'color']],
  ['post', '/wikis/{wikiId}/attachments', 200, ['attachmentId']],
  ['post', '/projects/{projectIdOrKey}/webhooks', 201, ['name', 'hookUrl']],
];

const CONTRACT_SCHEMAS = [
  'User',
  'VendorAccount',
  'Comment',
  'ChangeLogEntry',
  'Star',
  'Notification',
  'IssueType',
  'Status',
  'Attachment',
  'Webhook',
  'ErrorBody',
  'ErrorDetail',
];

const schemas = openApiDocument.components?.schemas ?? {};

/** Returns every example that the document shows with its schema, by place. */
function examplesOf(
  place: string,
  { schema, example, examples }: MediaTypeObject,
): [string, unknown, unknown][] {
  const named = Object.entries(examples ?? {}).map(([name, given]): [string, unknown, unknown] => [
    `${place}, ${name}`,
    schema,
    'value' in given ? given.value : undefined,
  ]);
  return example === undefined ? named : [[place, schema, example], ...named];
}

/** Returns the required fields of a body. */
function requiredFields(media: MediaTypeObject | undefined): string[] {
  const schema = media?.schema;
  const named = schema && '$ref' in schema ? schemas[schema.$ref.split('/').at(-1) ?? ''] : schema;
  return named && 'required' in named ? (named.required ?? []) : [];
}

const FILE = '*/*';
const TEXT = 'text/plain';

const typesOf = (response: ResponseObject | undefined): string[] => Object.keys(response?.content ?? {});

const isFile = (status: string, response: ResponseObject | undefined): boolean =>
  status === '200' &&
  typesOf(response).some((type) => type === FILE || type === TEXT || type.startsWith('image/'));

const operations = documentedOperations.map(({ method, path, operation }) => ({
  name: operation.operationId ?? `${method} ${path}`,
  method,
  path,
  operation,
  answers: Object.keys(operation.responses).map((status) => ({
    status,
    response: documentedResponse(operation, status),
  })),
  body: operation.requestBody && 'content' in operation.requestBody ? operation.requestBody : undefined,
}));

describe('the OpenAPI document', () => {
  let world: World;
  /** What the world serves, and Nest's warnings until then: when one class overwrites another in the document. */
  let document: OpenAPIObject;
  let warnings: unknown[][];

  const served = async (from: World): Promise<OpenAPIObject> => {
    const response = await fetch(new URL('/api-docs-json', from.server.baseUrl));
    return (await response.json()) as OpenAPIObject;
  };

  beforeAll(async () => {
    const warn = vi.spyOn(Logger, 'warn');
    try {
      world = await World.start();
      document = await served(world);
      warnings = warn.mock.calls.slice();
    } finally {
      warn.mockRestore();
    }
  });

  afterAll(() => world.stop());

  it('equals openapi.json of the repository', () => {
    expect(document).toEqual(openApiDocument);
  });

  it('defines each schema name once', () => {
    expect(warnings).toEqual([]);
  });

  it('names the configured base path and public address', async () => {
    const elsewhere = await World.start({ BASE_PATH: '/tracker/v1', PUBLIC_URL: 'https://pm.example.com/' });
    try {
      const { servers, paths } = await served(elsewhere);
      expect(servers).toEqual([{ url: 'https://pm.example.com/tracker/v1', description: 'This service' }]);
      expect(paths['/health/live']?.servers?.[0]?.url).toBe('https://pm.example.com');
      expect(paths).toHaveProperty(['/users/myself']);
      expect((await elsewhere.admin.api.get('/users/myself')).status).toBe(200);
    } finally {
      await elsewhere.stop();
    }
  });

  it.each(CONTRACT)('documents %s %s with status %i', (method, path, status, required) => {
    const found = operations.find((candidate) => candidate.method === method && candidate.path === path);
    const success = found?.answers.map((answer) => answer.status).filter((code) => code.startsWith('2'));

    expect(success).toEqual([String(status)]);
    expect(requiredFields(found?.body?.content['application/json'])).toEqual(required);
  });

  it('gives every operation a unique id', () => {
    const ids = operations.map(({ operation }) => operation.operationId);

    expect(ids).not.toContain(undefined);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('requires a credential for all operations but the health checks', () => {
    const open = operations.filter(({ operation }) => operation.security?.length === 0);

    expect(open.map(({ name }) => name).sort()).toEqual(PUBLIC_OPERATIONS);
  });

  it('declares only the information of a change log entry nullable in the contract', () => {
    const nullable = CONTRACT_SCHEMAS.flatMap((name) => {
      const schema = schemas[name];
      const properties = Object.entries(schema && 'properties' in schema ? (schema.properties ?? {}) : {});
      expect(properties).not.toHaveLength(0);
      return properties
        .filter(([, property]) => 'nullable' in property && property.nullable)
        .map(([property]) => `${name}.${property}`);
    });

    expect(nullable).toEqual([
      'ChangeLogEntry.attachmentInfo',
      'ChangeLogEntry.attributeInfo',
      'ChangeLogEntry.notificationInfo',
    ]);
  });

  describe.each(operations)('for $name', ({ name, method, path, operation, answers, body }) => {
    it('summarizes the operation under a described tag', () => {
      expect(operation.summary).toMatch(/^[A-Z].*[^.]$/);
      expect(openApiDocument.tags?.map((tag) => tag.name)).toEqual(
        expect.arrayContaining(operation.tags ?? ['none']),
      );
    });

    it('describes each response with a schema and an example', () => {
      expect(answers.map(({ status }) => status)).toEqual(expect.arrayContaining(['400', '500', 'default']));
      for (const { status, response } of answers) {
        expect(response?.description).toMatch(/\S/);
        if (status === '204' || status === '304') {
          expect(response).not.toHaveProperty('content');
          continue;
        }
        for (const type of isFile(status, response) ? typesOf(response) : ['application/json']) {
          const media = response?.content?.[type];
          expect(media?.schema).toBeDefined();
          expect(examplesOf('', media ?? {})).not.toHaveLength(0);
        }
      }
    });

    it('shows only examples that match their schemas', () => {
      const shown = [
        ...Object.entries(body?.content ?? {}).flatMap(([type, media]) => examplesOf(type, media)),
        ...answers.flatMap(({ status, response }) =>
          Object.values(response?.content ?? {}).flatMap((media) => examplesOf(status, media)),
        ),
        ...(operation.parameters ?? []).flatMap((parameter) =>
          'name' in parameter ? examplesOf(parameter.name, parameter as MediaTypeObject) : [],
        ),
      ];

      expect(shown.map(([place, schema, example]) => [place, schemaProblems(schema, example)])).toEqual(
        shown.map(([place]) => [place, []]),
      );
    });

    it('documents the answer to a request without a credential', async () => {
      const url = new URL(world.server.baseUrl);
      const base = PUBLIC_OPERATIONS.includes(name) ? url.origin : world.server.baseUrl;
      const response = await fetch(base + path.replace(/\{\w+\}/g, '1'), { method: method.toUpperCase() });

      expect(response.status).toBe(PUBLIC_OPERATIONS.includes(name) ? 200 : 401);
      expect(answers.map(({ status }) => status)).toContain(String(response.status));
    });
  });
});

describe('checkConformance', () => {
  const attachment = { id: 1, name: 'build.log', size: 5 };
  const json = { 'content-type': 'application/json; charset=utf-8' };
  const error = { errors: [{ message: 'No.', code: 11, moreInfo: '' }] };
  const check = (
    status: number,
    body: unknown,
    headers: Record<string, string> = json,
    request = 'POST /space/attachment?apiKey=x',
  ) => {
    const [method = '', path = ''] = request.split(' ');
    return () => checkConformance(method, path, { status, headers: new Headers(headers), body, text: '' });
  };

  it.each([
    ['a documented answer', check(200, attachment)],
    ['an error with its header', check(401, error, { ...json, 'www-authenticate': 'Bearer' })],
    ['404 of an unknown path', check(404, error, json, 'GET /nowhere')],
    ['405 of a known path', check(405, error, { ...json, allow: 'POST' }, 'PUT /space/attachment')],
    ['an answer without a body to HEAD', check(200, undefined, {}, 'HEAD /users/myself')],
  ])('accepts %s', (_case, run) => {
    expect(run).not.toThrow();
  });

  it.each([
    ['an additional field', check(200, { ...attachment, extra: 1 })],
    ['a missing field', check(200, { id: 1, name: 'build.log' })],
    ['a number instead of a string', check(200, { ...attachment, name: 1 })],
    ['null instead of a string', check(200, { ...attachment, name: null })],
    ['a fraction instead of an integer', check(200, { ...attachment, size: 0.5 })],
    ['an undocumented status', check(418, error)],
    ['another success status', check(201, attachment)],
    ['another content type', check(200, attachment, { 'content-type': 'text/plain' })],
    ['a missing header', check(401, error)],
    ['an unknown error code', check(400, { errors: [{ message: 'No.', code: 14, moreInfo: '' }] })],
    ['a success of an unknown path', check(200, error, json, 'GET /nowhere')],
    ['404 for a known path and another method', check(404, error, json, 'PUT /space/attachment')],
  ])('refuses %s', (_case, run) => {
    expect(run).toThrow('not as documented');
  });
});
