import { type IncomingMessage } from 'node:http';
import { RequestMethod } from '@nestjs/common';
import { type Params } from 'nestjs-pino';
import { stdSerializers } from 'pino';
import { type Environment } from '../config/environment';

/** The logged part of an error; not the parameters of a failed statement, which include keys, secrets and people's texts. */
const LOGGED = ['type', 'message', 'stack', 'code', 'errno', 'syscall', 'path', 'query'];

/** @param error as it is, or as pino's serializer has made it */
function serializeError(error: Error): object {
  const serialized = stdSerializers.err(error) as unknown as Record<string, unknown>;
  return Object.fromEntries(
    LOGGED.filter((name) => name in serialized).map((name) => [name, serialized[name]]),
  );
}

/**
 * How the service logs: JSON lines with a request's id. Requests appear with method and path alone, so that no key, in a
 * header or in the query, gets into a line. pino's middleware costs every request, so it is installed only to log them.
 */
export const loggerOptions = ({ LOG_LEVEL, LOG_REQUESTS }: Environment): Params => ({
  forRoutes: LOG_REQUESTS ? [{ path: '{*path}', method: RequestMethod.ALL }] : [],
  pinoHttp: {
    level: LOG_LEVEL,
    quietReqLogger: true,
    genReqId: (request: IncomingMessage) => request.id,
    serializers: {
      err: serializeError,
      req: (request: { id: string; method: string; url: string }) => ({
        id: request.id,
        method: request.method,
        path: request.url.split('?', 1)[0],
      }),
      res: (response: { statusCode: number }) => ({ statusCode: response.statusCode }),
    },
  },
});
