import { type IncomingMessage, type ServerResponse } from 'node:http';

/**
 * Sends `100 Continue` when the body is first read, and not before: a client that asks first gets a refusal, such as 401 or 413, instead of
 * sending a body in vain. A connection whose body has not been asked for is closed after the response, since the client may or may not
 * send it.
 */
export function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  let isAskedFor = false;
  const read = request._read.bind(request);
  request._read = (size) => {
    if (!isAskedFor && !response.headersSent) {
      isAskedFor = true;
      response.writeContinue();
    }
    read(size);
  };
  const writeHead = response.writeHead.bind(response) as (...head: unknown[]) => ServerResponse;
  response.writeHead = (...head: unknown[]) => {
    if (!isAskedFor) response.setHeader('Connection', 'close');
    return writeHead(...head);
  };
}
