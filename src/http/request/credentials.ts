import { type Request } from 'express';

/** Query parameter that may carry an API key. */
export const API_KEY_PARAMETER = 'apiKey';

/** The API key of a request, by the first of the four ways in which it gives one (`docs/decisions/0003-authentication.md`). */
export function apiKeyOf(request: Request): string | undefined {
  const { authorization } = request.headers;
  if (authorization !== undefined) return bearerTokenOf(authorization);
  return (
    headerValue(request, 'x-api-key') ??
    headerValue(request, 'backlog-api-key') ??
    keyInQuery(request.originalUrl)
  );
}

/** The token of an `Authorization: Bearer` header. */
export const bearerTokenOf = (authorization: string): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(authorization)?.[1];

function headerValue(request: Request, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function keyInQuery(url: string): string | undefined {
  const mark = url.indexOf('?');
  if (mark === -1) return undefined;
  return new URLSearchParams(url.slice(mark + 1)).get(API_KEY_PARAMETER) ?? undefined;
}
