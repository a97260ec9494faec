import { type IncomingMessage, type ServerResponse } from 'node:http';

/**
 * Sends `100 Continue` when the body is first read, so that a client that waits for it receives an error such as 401 or 413 before it sends
 * a body. If the body was never read, the connection is closed after the response, since the client may or may not send it.
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
