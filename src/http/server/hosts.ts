import { type IncomingMessage } from 'node:http';
import { type RequestHandler } from 'express';
import { InvalidRequestError } from '../../errors/domain-errors';

/** Express middleware: refuses a request with several `Host` headers, of which a proxy and the service could choose different ones. */
export const refuseSeveralHosts: RequestHandler = (request, response, next) => {
  if (!hasSeveralHosts(request)) {
    next();
    return;
  }
  response.setHeader('Connection', 'close');
  next(InvalidRequestError.of('Host', 'Send one Host header.'));
};

function hasSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  let count = 0;
  // Names and values alternate.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count > 1;
}
