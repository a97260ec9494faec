import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { type Request, type Response } from 'express';
import { map, type Observable } from 'rxjs';
import { type HttpSettings, ServiceAdapter } from '../../src/http/server/service-adapter';
import { Page } from '../../src/paging/page';
import { type Idiom } from './idioms';

type RouteMethod = 'get' | 'post' | 'put' | 'patch' | 'delete';
const ROUTE_METHODS: readonly RouteMethod[] = ['get', 'post', 'put', 'patch', 'delete'];

/** Creates the service's adapter with methods of Nest's own adapter restored. */
export function usualAdapter(settings: HttpSettings, idioms: ReadonlySet<Idiom>): ServiceAdapter {
  const adapter = new ServiceAdapter(settings);
  const putBack = (method: RouteMethod | 'reply'): void => {
    Object.assign(adapter, { [method]: Reflect.get(ExpressAdapter.prototype, method) });
  };
  if (idioms.has('messages')) withPrototypesSetByExpress(adapter);
  if (idioms.has('reply')) putBack('reply');
  if (idioms.has('router')) ROUTE_METHODS.forEach(putBack);
  return adapter;
}

/** Makes Express replace the prototypes of every message, as it does with those of Node. */
function withPrototypesSetByExpress(adapter: ServiceAdapter): void {
  const initHttpServer = adapter.initHttpServer.bind(adapter);
  adapter.initHttpServer = () => {
    initHttpServer();
    const express = adapter.getInstance<Record<'request' | 'response', object>>();
    express.request = Object.create(express.request) as object;
    express.response = Object.create(express.response) as object;
  };
}

/** Turns a page into its items and a `Link` header, in an interceptor as Nest's documentation suggests. */
@Injectable()
export class PageInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      map((answer: unknown) => {
        if (!(answer instanceof Page)) return answer;
        if (answer.next) response.setHeader('Link', `<${nextUrl(response.req, answer.next)}>; rel="next"`);
        return answer.items as unknown;
      }),
    );
  }
}

function nextUrl(request: Request, next: Readonly<Record<string, number>>): string {
  const url = new URL(request.originalUrl, `${request.protocol}://${request.host}`);
  url.searchParams.delete('offset');
  for (const [name, value] of Object.entries(next)) url.searchParams.set(name, String(value));
  return url.href;
}
