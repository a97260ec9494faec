import { type INestApplication } from '@nestjs/common';
import { type Request, type RequestHandler, type Response } from 'express';

interface Page {
  type: string;
  /** Shared by all answers, so that a client that does not read holds no copy. */
  bytes: Buffer;
}

/**
 * The application as `SwaggerModule` is given it: each page that it serves is made once, whoever asks first, and kept. It would
 * write the document anew at each request.
 */
export function withKeptPages(app: INestApplication): INestApplication {
  const adapter = app.getHttpAdapter();
  const keeping = Object.create(adapter, {
    get: {
      value: (path: string, handler: RequestHandler): void => {
        adapter.get(path, kept(path, handler) as never);
      },
    },
  }) as typeof adapter;
  return Object.create(app, { getHttpAdapter: { value: () => keeping } }) as INestApplication;
}

function kept(path: string, handler: RequestHandler): RequestHandler {
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

/** For no request in particular: nothing that somebody asks with gets into what all others see. */
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
