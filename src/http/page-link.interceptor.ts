import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { map, type Observable } from 'rxjs';
import { Environment } from '../config/environment';
import { API_KEY_PARAMETER } from './credentials';
import { Page } from './paging';

/** Answers with a page's items, and names the next page in a `Link` header while there is one (decisions, section 3). */
@Injectable()
export class PageLinkInterceptor implements NestInterceptor {
  constructor(private readonly environment: Environment) {}

  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    return next.handle().pipe(
      map((result) => {
        if (!isPage(result)) return result;
        if (result.next) {
          const http = context.switchToHttp();
          const url = this.nextUrl(http.getRequest<Request>(), result.next);
          http.getResponse<Response>().setHeader('Link', `<${url}>; rel="next"`);
        }
        return result.items;
      }),
    );
  }

  private nextUrl(request: Request, next: Readonly<Record<string, number>>): string {
    const url = new URL(this.originOf(request).replace(/\/$/, '') + request.originalUrl);
    url.searchParams.delete(API_KEY_PARAMETER);
    url.searchParams.delete('offset');
    for (const [name, value] of Object.entries(next)) url.searchParams.set(name, String(value));
    return url.toString();
  }

  private originOf(request: Request): string {
    const named = this.environment.PUBLIC_URL ?? `${request.protocol}://${request.headers.host ?? ''}`;
    return URL.canParse(named) ? named : 'http://localhost';
  }
}

const isPage = (value: unknown): value is Page<unknown> => value instanceof Page;
