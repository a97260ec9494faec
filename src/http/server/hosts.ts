import { type IncomingMessage, type ServerResponse } from 'node:http';
import { InvalidRequestError } from '../../errors/domain-errors';
import { toErrorResponse } from '../../errors/error-response';

/** Whether a request has more than one `Host` header, of which a proxy and the service could choose different ones. */
export function hasSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  let count = 0;
  // Names and values alternate.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count > 1;
}

/** Refuses a request with several `Host` headers, and closes its connection. */
export function refuseHosts(response: ServerResponse): void {
  const { status, body } = toErrorResponse(InvalidRequestError.of('Host', 'Send one Host header.'));
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', Connection: 'close' });
  response.end(JSON.stringify(body));
}
