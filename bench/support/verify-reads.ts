import { headersOf, type LoadRequest } from './load';
import { type Server } from './processes';

const TIMEOUT_MS = 10_000;

/** Verifies that two servers return the same response to every request, byte for byte. @throws Error where they differ */
export async function verifyReads(
  service: Server,
  other: Server,
  requests: readonly LoadRequest[],
): Promise<void> {
  for (const request of requests) {
    const expected = await send(service, request);
    const given = await send(other, request);
    if (expected !== given) throw different(request, expected, given);
    if (expected === '[]') throw new Error(`${request.path} returns an empty list.`);
  }
}

/** Sends a request, and returns the body of the response. @throws Error unless it succeeds */
export async function send({ origin }: Server, request: LoadRequest): Promise<string> {
  const response = await fetch(origin + request.path, {
    method: request.method,
    headers: headersOf(request),
    body: request.body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const body = await response.text();
  const expected = request.method === 'POST' ? 201 : 200;
  if (response.status !== expected) throw new Error(`${request.path}: ${response.status} ${body}`);
  return body;
}

export const different = ({ method, path }: LoadRequest, service: string, other: string): Error =>
  new Error(`${method} ${path}: the responses differ.\nservice: ${service}\nother:   ${other}`);
