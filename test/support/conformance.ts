import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OpenAPIObject } from '@nestjs/swagger';
import Ajv, { type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { groupBy } from '../../src/database/sql/group-by';
import { type OperationObject, type ResponseObject } from '../../src/openapi/openapi-types';
import { type ApiResponse } from './api';

const segmentsOf = (path: string): string[] => path.replace(/\/$/, '').split('/');

/** The OpenAPI document in the repository. */
export const openApiDocument = JSON.parse(
  readFileSync(join(__dirname, '../../openapi.json'), 'utf8'),
) as OpenAPIObject;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** An operation of the document, with its method and path. */
export interface DocumentedOperation {
  method: (typeof METHODS)[number];
  path: string;
  segments: readonly string[];
  operation: OperationObject;
}

export const documentedOperations: DocumentedOperation[] = Object.entries(openApiDocument.paths).flatMap(
  ([path, item]) => {
    const segments = segmentsOf(path);
    return METHODS.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ method, path, segments, operation }] : [];
    });
  },
);

/** Requests that select fields: their records lack the others, which is what their own test checks. */
const SELECTION = /[?&]fields=/;

/**
 * Checks a response against the document: its status, content type, headers and every field of its body. An undocumented path
 * requires status 404, an undocumented method 405.
 * @param path below the base path, including the query
 * @throws when the response does not match the document
 */
export function checkConformance(method: string, path: string, answer: ApiResponse): void {
  if (answer.status === 200 && SELECTION.test(path)) return;
  const operations = operationsAt(path);
  const wanted = method === 'HEAD' ? 'get' : method.toLowerCase();
  const operation = operations.find((candidate) => candidate.method === wanted);
  const problems = operation
    ? problemsWith(answer, documentedResponse(operation.operation, answer.status), method === 'HEAD')
    : problemsWithoutOperation(answer, operations);
  problems.push(...unnamedFields(answer.body));
  if (problems.length === 0) return;
  const body = (JSON.stringify(answer.body) as string | undefined)?.slice(0, 2000);
  throw new Error(
    `${method} ${path}: the answer is not as documented.\n${problems.join('\n')}\n${answer.status} ${body}`,
  );
}

/** Returns the errors whose message does not name the field: many clients show only the message. */
function unnamedFields(body: unknown): string[] {
  const { errors } = (body ?? {}) as { errors?: { message: string; moreInfo: string }[] };
  if (!Array.isArray(errors)) return [];
  return errors.flatMap(({ message, moreInfo }) =>
    moreInfo.split(', ').every((field) => message.includes(field))
      ? []
      : [`The message ${JSON.stringify(message)} does not name ${moreInfo}`],
  );
}

/** Validates a value against a schema of the document, and returns the problems; a field that the schema does not name is one too. */
export function schemaProblems(schema: unknown, value: unknown): string[] {
  const validate = validatorOf(schema);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`,
  );
}

/** Returns the response that an operation documents for a status, with references resolved. */
export function documentedResponse(
  operation: OperationObject,
  status: number | string,
): ResponseObject | undefined {
  const response = operation.responses[status];
  if (!response || !('$ref' in response)) return response;
  return openApiDocument.components?.responses?.[lastSegment(response.$ref)] as ResponseObject | undefined;
}

const lastSegment = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

/** The parameter for the rest of a path, which may be empty. */
const REST = '{path}';

/** The operations by the first segment of their paths, which is never a parameter. */
const operationsByStart = groupBy(
  [...documentedOperations]
    // The most literal first: of two matches, one has `{` where the other has a literal text.
    .sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)))
    // A parameter with a suffix, such as `.diff`, is more literal than the parameter alone.
    .sort((a, b) => Number(b.path.includes('}.')) - Number(a.path.includes('}.'))),
  ({ segments }) => segments[1] ?? '',
);

/** Returns the operations that match a path, the most literal first. */
function operationsAt(path: string): DocumentedOperation[] {
  const [pathname = ''] = path.split('?', 1);
  const segments = segmentsOf(pathname);
  const { length } = pathname.split('/');
  return (operationsByStart.get(segments[1] ?? '') ?? []).filter(
    ({ segments: expected }) =>
      (expected.at(-1) === REST ? expected.length <= length : expected.length === segments.length) &&
      expected.every((part, index) => part === REST || fits(part, segments[index] ?? '')),
  );
}

/** Whether a segment of a path matches its part of the template: a literal text, or a parameter with or without a suffix. */
function fits(part: string, segment: string): boolean {
  if (!part.startsWith('{')) return part === segment;
  const ending = part.slice(part.indexOf('}') + 1);
  return segment.length > ending.length && segment.endsWith(ending);
}

function problemsWith(
  answer: ApiResponse,
  documented: ResponseObject | undefined,
  isHead: boolean,
): string[] {
  if (!documented) return [`The status ${answer.status} is not documented.`];
  const problems = Object.entries(documented.headers ?? {}).flatMap(([name, header]) =>
    'required' in header && header.required && !answer.headers.has(name)
      ? [`The header ${name} is missing.`]
      : [],
  );
  if (isHead) return problems;
  if (!documented.content) return answer.text === '' ? problems : [...problems, 'There is a body.'];
  const type = answer.headers.get('content-type')?.split(';', 1)[0] ?? '';
  // The bytes of a file.
  if (type !== '' && documented.content['*/*']) return problems;
  const schema = documented.content[type]?.schema;
  return schema
    ? [...problems, ...schemaProblems(schema, type === 'text/plain' ? answer.text : answer.body)]
    : [...problems, `The content type ${type} is not documented.`];
}

const ERROR_BODY = { $ref: '#/components/schemas/ErrorBody' };

function problemsWithoutOperation(answer: ApiResponse, others: DocumentedOperation[]): string[] {
  const problems = schemaProblems(ERROR_BODY, answer.body);
  const expected = others.length > 0 ? 405 : 404;
  if (answer.status !== expected)
    problems.push(`The status of an undocumented operation must be ${expected}.`);
  if (expected === 405 && !answer.headers.has('allow')) problems.push('The header Allow is missing.');
  return problems;
}

/** Validators by the texts of their schemas. */
const validators = new Map<string, ValidateFunction>();
/** The same by the parts of the document, whose texts take longer than many validations. */
const validatorsOfParts = new WeakMap<WeakKey, ValidateFunction>();
let ajv: Ajv | undefined;

function validatorOf(schema: unknown): ValidateFunction {
  const part = schema as WeakKey;
  const known = validatorsOfParts.get(part) ?? validatorOfText(schema);
  validatorsOfParts.set(part, known);
  return known;
}

function validatorOfText(schema: unknown): ValidateFunction {
  const key = JSON.stringify(schema);
  let validator = validators.get(key);
  if (!validator) {
    ajv ??= createAjv();
    validator = ajv.compile(closed(schema) as object);
    validators.set(key, validator);
  }
  return validator;
}

function createAjv(): Ajv {
  const instance = new Ajv({
    allErrors: true,
    strict: true,
    strictRequired: true,
    allowUnionTypes: true,
    // Most validators see few responses: faster code takes longer to make than it saves.
    inlineRefs: false,
    code: { optimize: false },
  });
  addFormats(instance);
  // OpenAPI keywords that do not affect validation.
  instance.addKeyword('example');
  instance.addKeyword('x-additionalPropertiesName');
  for (const [name, schema] of Object.entries(openApiDocument.components?.schemas ?? {})) {
    instance.addSchema(closed(schema) as object, name);
  }
  return instance;
}

/** Returns a copy that allows only the properties that a schema names, and whose references use the names of the added schemas. */
function closed(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(closed);
  if (typeof part !== 'object' || part === null) return part;
  const copy = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, closed(value)]));
  if (typeof copy.$ref === 'string') copy.$ref = lastSegment(copy.$ref);
  if (copy.type === 'object' && copy.properties) copy.additionalProperties = false;
  return copy;
}
