import { type IncomingMessage } from 'node:http';
import { RequestMethod } from '@nestjs/common';
import { type Params } from 'nestjs-pino';
import { type Environment } from '../config/environment';

/**
 * How the service logs: JSON lines with a request's id. Requests are told by method and path alone, so that no key, in a
 * header or in the query, gets into a line. pino's middleware costs every request, so it is there only to log them.
 */
export const loggerOptions = ({ LOG_LEVEL, LOG_REQUESTS }: Environment): Params => ({
  forRoutes: LOG_REQUESTS ? [{ path: '{*path}', method: RequestMethod.ALL }] : [],
  pinoHttp: {
    level: LOG_LEVEL,
    quietReqLogger: true,
    genReqId: (request: IncomingMessage) => request.id,
    serializers: {
      req: (request: { id: string; method: string; url: string }) => ({
        id: request.id,
        method: request.method,
        path: request.url.split('?', 1)[0],
      }),
      res: (response: { statusCode: number }) => ({ statusCode: response.statusCode }),
    },
  },
});
