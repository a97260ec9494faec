import { getSchemaPath } from '@nestjs/swagger';
import {
  AccessDeniedError,
  AuthenticationError,
  type ConflictError,
  type DomainError,
  InternalError,
  InsufficientScopeError,
  InvalidRequestError,
  LicenceError,
  LicenceExpiredError,
  NoResourceError,
  RequiredMFAError,
  ResourceOverflowError,
  ServiceUnavailableError,
  SpaceOverCapacityError,
  TooLargeFileError,
  TooManyRequestsError,
  UnauthorizedOperationError,
} from '../errors/domain-errors';
import { toErrorResponse } from '../errors/error-response';
import { fileTooLargeError } from '../http/request/multipart';
import { unexpectedBodyError } from '../http/request/request-body';
import { unknownName, unknownParameter } from '../http/request/unknown-names';
import { ErrorBodyDto } from './error-body.dto';
import { type HeadersObject, type MediaTypeObject, type ResponseObject } from './openapi-types';

/** The properties of an operation that determine its possible errors. */
export interface FailureTraits {
  isProtected: boolean;
  takesBody: boolean;
  takesFile: boolean;
  /** How unknown names are refused; undefined where they are ignored. */
  unknown?: 'field' | 'parameter';
  /** The resources that the path identifies, from left to right. */
  names: string[];
  /** The resources that query parameters identify. */
  namesInQuery: string[];
  /** The error of a request that lacks everything required; undefined when nothing is required. */
  incomplete?: InvalidRequestError;
  /** The messages of the count limits that the operation can exceed. */
  countLimits: readonly string[];
  /** The errors of valid requests that conflict with the current state. */
  conflicts?: readonly ConflictError[];
}

type Example = [name: string, error: DomainError];

const UNKNOWN = {
  field: ['UnknownField', unknownName('colour')],
  parameter: ['UnknownParameter', unknownParameter('colour')],
} as const;

interface Reference {
  $ref: string;
}

/** Returns every error response of an operation by status; those shared by many operations are references. */
export function errorAnswers(traits: FailureTraits): Record<string, ResponseObject | Reference> {
  const { isProtected, takesBody, takesFile, unknown, names, namesInQuery, incomplete } = traits;
  const { countLimits, conflicts = [] } = traits;
  const allNames = [...names, ...namesInQuery];
  return {
    400: answer('Invalid request (code 7): `moreInfo` names the field.', [
      ...(incomplete ? [['Incomplete', incomplete] satisfies Example] : []),
      ...(unknown
        ? [[UNKNOWN[unknown][0], new InvalidRequestError([UNKNOWN[unknown][1]])] satisfies Example]
        : []),
      ...(takesBody ? [] : [['UnexpectedBody', unexpectedBodyError()] satisfies Example]),
    ]),
    ...(isProtected && {
      401: reference('Unauthenticated'),
      403: reference('Forbidden'),
      429: reference('TooManyRequests'),
    }),
    ...(allNames.length > 0 && {
      404: answer(
        `The ${namesInQuery.length > 0 ? 'request' : 'path'} does not identify a resource that the caller may see (code 6).`,
        allNames.map((name) => [pascalCase(name), new NoResourceError(name)]),
      ),
    }),
    ...(countLimits.length + conflicts.length > 0 && {
      409: answer(
        [
          ...(countLimits.length > 0 ? ['A count limit would be exceeded (code 9).'] : []),
          ...(conflicts.length > 0 ? ['The request conflicts with the current state (code 7).'] : []),
        ].join(' '),
        [
          ...numbered(
            'ResourceOverflowError',
            countLimits.map((message) => new ResourceOverflowError(message)),
          ),
          ...numbered('ConflictError', conflicts),
        ],
      ),
    }),
    ...(takesBody && { 413: reference(takesFile ? 'FileTooLarge' : 'BodyTooLarge') }),
    500: reference('InternalError'),
    503: reference('Unavailable'),
    default: reference('Error'),
  };
}

/** The error responses that `errorAnswers` references. Their examples are built from the service's own errors. */
export const SHARED_ANSWERS = {
  Unauthenticated: answer(
    'No valid credential (code 11).',
    [['AuthenticationError', new AuthenticationError()]],
    { 'WWW-Authenticate': header('The authentication scheme to use.', 'string') },
  ),
  Forbidden: answer(
    'The caller may not do this, or the API key lacks scopes (code 5), the address of the caller is not allowed (code 4), or the caller lacks a second factor that the space requires (code 12). The codes 2 and 3 are reserved.',
    [
      ['UnauthorizedOperationError', new UnauthorizedOperationError()],
      ['InsufficientScopeError', new InsufficientScopeError(['write:projects', 'admin'])],
      ['LicenceError', new LicenceError()],
      ['LicenceExpiredError', new LicenceExpiredError()],
      ['AccessDeniedError', new AccessDeniedError()],
      ['RequiredMFAError', RequiredMFAError.at('http://localhost:3000/account/factors')],
    ],
  ),
  TooManyRequests: answer(
    'Too many requests by the user, per minute or concurrently, or too many wrong keys from the address (code 13).',
    [['TooManyRequestsError', new TooManyRequestsError('read_rate', 600, 0, 1_769_852_400, 42)]],
    {
      'Retry-After': header('Number of seconds to wait before retrying.', 'integer'),
      'X-RateLimit-Limit': header('Number of requests allowed per minute, or concurrently.', 'integer'),
      'X-RateLimit-Remaining': header('Number of requests allowed now.', 'integer'),
      'X-RateLimit-Reset': header('Time at which to retry, in seconds since 1970.', 'integer'),
    },
  ),
  BodyTooLarge: answer('The body is too large (code 10).', [
    ['TooLargeFileError', new TooLargeFileError('The request body is too large.')],
  ]),
  FileTooLarge: answer(
    "The file is too large (code 10), or the storage of the space or the user's share of it is full (code 8).",
    [
      ['TooLargeFileError', fileTooLargeError()],
      ['SpaceOverCapacityError', new SpaceOverCapacityError()],
    ],
  ),
  InternalError: answer('An internal error, caused by a bug (code 1).', [
    ['InternalError', new InternalError()],
  ]),
  Unavailable: answer(
    'The service is temporarily unavailable (code 1).',
    [['ServiceUnavailableError', new ServiceUnavailableError()]],
    { 'Retry-After': header('Number of seconds to wait before retrying.', 'integer') },
  ),
  Error: answer('Any other error.', [['InternalError', new InternalError()]]),
};

/** Headers of every authenticated response, unless rate limits are switched off; `components.headers` of the document. */
export const RATE_HEADERS: HeadersObject = {
  'X-RateLimit-Limit': rateHeader('Number of requests of this class that the user can make per minute.'),
  'X-RateLimit-Remaining': rateHeader('Number of remaining requests.'),
  'X-RateLimit-Reset': rateHeader('Time at which all of them are available again, in seconds since 1970.'),
};

const numbered = (name: string, errors: readonly DomainError[]): Example[] =>
  errors.map((error, index) => [`${name}${index === 0 ? '' : index + 1}`, error]);

const reference = (name: keyof typeof SHARED_ANSWERS): Reference => ({
  $ref: `#/components/responses/${name}`,
});

function answer(description: string, examples: Example[], headers?: HeadersObject): ResponseObject {
  const media: MediaTypeObject = {
    schema: { $ref: getSchemaPath(ErrorBodyDto) },
    examples: Object.fromEntries(
      examples.map(([name, error]) => [name, { value: toErrorResponse(error).body }]),
    ),
  };
  return { description, ...(headers && { headers }), content: { 'application/json': media } };
}

function header(description: string, type: 'string' | 'integer'): HeadersObject[string] {
  return { description, required: true, schema: { type } };
}

function rateHeader(description: string): HeadersObject[string] {
  return { description: `${description} Absent when rate limits are off.`, schema: { type: 'integer' } };
}

const pascalCase = (words: string): string =>
  words.replace(/(?:^| )(\w)/g, (_match, letter: string) => letter.toUpperCase());
