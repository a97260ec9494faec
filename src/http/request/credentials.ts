import { type Request } from 'express';

/** Query parameter that may carry an API key. */
export const API_KEY_PARAMETER = 'apiKey';

/** An API key, with the `userId` that must own it if one is given. */
export interface Credential {
  key: string;
  userId?: string;
}

/** Returns the credential of a request to an address that also accepts HTTP Basic, with an API key as the password. */
export function passwordOrKeyOf(request: Request): Credential | undefined {
  const { authorization } = request.headers;
  const basic = authorization === undefined ? undefined : basicOf(authorization);
  if (basic) return basic;
  const key = apiKeyOf(request);
  return key === undefined ? undefined : { key };
}

/** Returns the API key of a request, from the first of the four supported places (`docs/decisions/0003-access.md#api-keys`). */
export function apiKeyOf(request: Request): string | undefined {
  const { authorization } = request.headers;
  if (authorization !== undefined) return bearerTokenOf(authorization);
  return (
    headerValue(request, 'x-api-key') ??
    headerValue(request, 'backlog-api-key') ??
    keyInQuery(request.originalUrl)
  );
}

/** Returns the token of an `Authorization: Bearer` header. */
export const bearerTokenOf = (authorization: string): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(authorization)?.[1];

/** The last colon separates name and key: a key never contains a colon, but a name may. */
function basicOf(authorization: string): Credential | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/_-]+=*) *$/i.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.lastIndexOf(':');
  return colon === -1 ? { key: '' } : { userId: text.slice(0, colon), key: text.slice(colon + 1) };
}

function headerValue(request: Request, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function keyInQuery(url: string): string | undefined {
  const mark = url.indexOf('?');
  if (mark === -1) return undefined;
  return new URLSearchParams(url.slice(mark + 1)).get(API_KEY_PARAMETER) ?? undefined;
}
