import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { RequestMethod } from '@nestjs/common';
import { type Params } from 'nestjs-pino';
import { type Environment } from '../config/environment';

const REQUEST_ID_HEADER = 'X-Request-Id';

/**
 * How the service logs: JSON lines with a request's id. Requests are told by method and path alone, so that no key, in a
 * header or in the query, gets into a line.
 */
export const loggerOptions = ({ LOG_LEVEL, LOG_REQUESTS }: Environment): Params => ({
  forRoutes: [{ path: '{*path}', method: RequestMethod.ALL }],
  pinoHttp: {
    level: LOG_LEVEL,
    autoLogging: LOG_REQUESTS,
    quietReqLogger: true,
    genReqId: (_request: IncomingMessage, response: ServerResponse): string => {
      const id = randomUUID();
      response.setHeader(REQUEST_ID_HEADER, id);
      return id;
    },
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
