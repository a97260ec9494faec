import { type INestApplication } from '@nestjs/common';
import { type Request, type RequestHandler, type Response } from 'express';

interface Page {
  type: string;
  /** Shared by all responses, so that a slow client does not hold its own copy. */
  bytes: Buffer;
}

/**
 * Wraps the application for `SwaggerModule`, which would otherwise serialise the document at each request: each page is created
 * at the first request and cached.
 */
export function withCachedPages(app: INestApplication): INestApplication {
  const adapter = app.getHttpAdapter();
  const keeping = Object.create(adapter, {
    get: {
      value: (path: string, handler: RequestHandler): void => {
        adapter.get(path, cachePage(path, handler) as never);
      },
    },
  }) as typeof adapter;
  return Object.create(app, { getHttpAdapter: { value: () => keeping } }) as INestApplication;
}

function cachePage(path: string, handler: RequestHandler): RequestHandler {
  let page: Promise<Page> | undefined;
  return (_request, response, next) => {
    page ??= makePage(path, handler);
    page.then(({ type, bytes }) => {
      response.setHeader('Content-Type', type);
      response.setHeader('Content-Length', bytes.length);
      response.end(response.req.method === 'HEAD' ? undefined : bytes);
    }, next);
  };
}

/** Creates a page from an empty request, so that no data of a client's request ends up in the page for all clients. */
async function makePage(path: string, handler: RequestHandler): Promise<Page> {
  return new Promise((resolve, reject) => {
    let type = '';
    const response = {
      type: (given: string) => {
        type = given;
        return response;
      },
      send: (text: string) => resolve({ type: `${type}; charset=utf-8`, bytes: Buffer.from(text) }),
    };
    Promise.resolve(handler({ originalUrl: path } as Request, response as unknown as Response, reject)).catch(
      reject,
    );
  });
}
