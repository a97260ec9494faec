import { QueryFailedError } from 'typeorm';
import {
  AccessDeniedError,
  AuthenticationError,
  ConflictError,
  type DomainError,
  ErrorCode,
  InternalError,
  InvalidRequestError,
  LengthRequiredError,
  LicenceError,
  LicenceExpiredError,
  MethodNotAllowedError,
  NoResourceError,
  RequiredMFAError,
  ResourceOverflowError,
  ServiceUnavailableError,
  SpaceOverCapacityError,
  TooLargeFileError,
  TooManyRequestsError,
  UnauthorizedOperationError,
} from './domain-errors';
import { toErrorResponse } from './error-response';

describe(toErrorResponse.name, () => {
  it.each<[number, number, DomainError]>([
    [1, 500, new InternalError()],
    [1, 503, new ServiceUnavailableError()],
    [2, 403, new LicenceError('Not included.')],
    [3, 403, new LicenceExpiredError('Ended.')],
    [4, 403, new AccessDeniedError('Not from here.')],
    [5, 403, new UnauthorizedOperationError()],
    [6, 404, new NoResourceError('issue')],
    [7, 400, new InvalidRequestError('Bad.')],
    [7, 409, new ConflictError('Merged already.')],
    [7, 411, new LengthRequiredError()],
    [7, 405, new MethodNotAllowedError(['GET'])],
    [8, 413, new SpaceOverCapacityError()],
    [9, 409, new ResourceOverflowError('Too many.')],
    [10, 413, new TooLargeFileError('Too large.')],
    [11, 401, new AuthenticationError()],
    [12, 403, new RequiredMFAError('Two factors.')],
    [13, 429, new TooManyRequestsError('read_rate', 600, 0, 1_700_000_060, 30)],
  ])('returns code %d with status %d for %s', (code, status, error) => {
    const answer = toErrorResponse(error);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({
      errors: [{ message: error.message, code, moreInfo: expect.any(String) as string }],
    });
    expect(answer.body.errors[0]?.message).toMatch(/^[A-Z].*\.$/);
  });

  it('covers the error codes 1 to 13', () => {
    const codes = Object.values(ErrorCode).filter((code) => typeof code === 'number');
    expect(codes).toEqual(Array.from({ length: 13 }, (_, index) => index + 1));
  });

  it('prefixes the messages of several problems with fields they do not mention', () => {
    const error = new InvalidRequestError([
      { message: 'One.', moreInfo: 'a' },
      { message: 'Two.', moreInfo: '' },
      { message: 'The name must be a text.', moreInfo: 'name' },
      { message: 'The keywords are too long.', moreInfo: 'keyword' },
      { message: 'Give issueId or wikiId.', moreInfo: 'issueId, wikiId' },
      { message: 'Give issueId.', moreInfo: 'issueId, wikiId' },
    ]);
    expect(toErrorResponse(error).body).toEqual({
      errors: [
        { message: 'a: One.', code: 7, moreInfo: 'a' },
        { message: 'Two.', code: 7, moreInfo: '' },
        { message: 'The name must be a text.', code: 7, moreInfo: 'name' },
        { message: 'keyword: The keywords are too long.', code: 7, moreInfo: 'keyword' },
        { message: 'Give issueId or wikiId.', code: 7, moreInfo: 'issueId, wikiId' },
        { message: 'issueId, wikiId: Give issueId.', code: 7, moreInfo: 'issueId, wikiId' },
      ],
    });
  });

  it.each([
    ['an unexpected error', new TypeError('secret /home/service/src/x.ts')],
    ['a database error', new QueryFailedError('SELECT secret', ['secret'], new Error('secret'))],
    ['a thrown string', 'secret'],
    ['undefined', undefined],
    ['an object shaped like a response', { status: 200, code: 7, problems: [{ message: 'secret' }] }],
  ])('returns 500 without details for %s', (_name, error) => {
    expect(toErrorResponse(error)).toEqual({
      status: 500,
      headers: {},
      body: { errors: [{ message: 'Internal error.', code: 1, moreInfo: '' }] },
    });
  });

  it.each<[string, DomainError, Record<string, string>]>([
    [
      'WWW-Authenticate for an unauthenticated request',
      new AuthenticationError(),
      { 'WWW-Authenticate': expect.stringMatching(/^Bearer\b/) },
    ],
    [
      'Retry-After for an unavailable service',
      new ServiceUnavailableError(),
      { 'Retry-After': expect.stringMatching(/^[1-9]\d*$/) },
    ],
    ['Allow for an unsupported method', new MethodNotAllowedError(['GET', 'HEAD']), { Allow: 'GET, HEAD' }],
    [
      'Retry-After and rate limit headers for too many requests',
      new TooManyRequestsError('read_rate', 600, 0, 1_700_000_060, 30),
      {
        'Retry-After': '30',
        'X-RateLimit-Limit': '600',
        'X-RateLimit-Remaining': '0',
        'X-RateLimit-Reset': '1700000060',
      },
    ],
    ['no headers for other errors', new NoResourceError('issue'), {}],
  ])('sets %s', (_name, error, headers) => {
    expect(toErrorResponse(error).headers).toEqual(headers);
  });
});
