import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { Created } from './created';
import { API_KEY_PARAMETER } from './credentials';
import { FileAnswer, sendFile } from './file-answer';
import { Page } from './paging';
import { Routes } from './routes';

/** A name or address with an optional port, and nothing that could end the header early. */
const HOST = /^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i;

/**
 * Nest on Express, with the answer sent in one place: JSON as it is, for a page its items with a `Link` header to the next
 * (decisions, section 3), for what has been made a `Location`, a file, or nothing. As interceptors the same took a third of the
 * time of a small read.
 */
export class ServiceAdapter extends ExpressAdapter {
  readonly routes = new Routes();
  private readonly assets: (() => unknown)[] = [];
  private readonly publicUrl: string | undefined;

  /** @param publicUrl the address that clients use; undefined = what each request names */
  constructor(publicUrl: string | undefined) {
    super(express());
    this.publicUrl = publicUrl?.replace(/\/$/, '');
  }

  override get(path: unknown, handler?: unknown): void {
    this.routes.add('GET', path as string, handler as RequestHandler);
  }

  override post(path: unknown, handler?: unknown): void {
    this.routes.add('POST', path as string, handler as RequestHandler);
  }

  override put(path: unknown, handler?: unknown): void {
    this.routes.add('PUT', path as string, handler as RequestHandler);
  }

  override patch(path: unknown, handler?: unknown): void {
    this.routes.add('PATCH', path as string, handler as RequestHandler);
  }

  override delete(path: unknown, handler?: unknown): void {
    this.routes.add('DELETE', path as string, handler as RequestHandler);
  }

  /** What comes when no route has answered; so all routes are known, and all middleware is in place. */
  override setNotFoundHandler(handler: RequestHandler): void {
    this.use(this.routes.handle);
    for (const mount of this.assets) mount();
    this.use(handler);
  }

  /** Files come after the routes: the documentation's own page before the one that its files bring. */
  override useStaticAssets(...assets: Parameters<ExpressAdapter['useStaticAssets']>): void {
    this.assets.push(() => super.useStaticAssets(...assets) as unknown);
  }

  /** @returns a promise for a file, which Nest waits for: what it rejects with gets to the exceptions filter */
  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    if (statusCode !== undefined) response.statusCode = statusCode;
    if (body === undefined) {
      response.end();
    } else if (body instanceof FileAnswer) {
      return sendFile(response, body);
    } else if (body instanceof Page) {
      if (body.next) response.setHeader('Link', `<${this.nextUrl(response.req, body.next)}>; rel="next"`);
      sendJson(response, body.items);
    } else if (body instanceof Created) {
      response.setHeader('Location', this.originOf(response.req) + body.webPath);
      sendJson(response, body.dto);
    } else {
      sendJson(response, body);
    }
  }

  private nextUrl(request: Request, next: Readonly<Record<string, number>>): string {
    const { originalUrl } = request;
    const mark = originalUrl.indexOf('?');
    const parameters = new URLSearchParams(mark === -1 ? '' : originalUrl.slice(mark + 1));
    parameters.delete(API_KEY_PARAMETER);
    parameters.delete('offset');
    for (const [name, value] of Object.entries(next)) parameters.set(name, String(value));
    const path = mark === -1 ? originalUrl : originalUrl.slice(0, mark);
    return `${this.originOf(request)}${path}?${parameters.toString()}`;
  }

  private originOf(request: Request): string {
    if (this.publicUrl !== undefined) return this.publicUrl;
    const { host = '' } = request.headers;
    return HOST.test(host) ? `${request.protocol}://${host}` : 'http://localhost';
  }
}

/** A text and not a buffer, so that Node sends head and body in one piece. */
function sendJson(response: Response, value: unknown): void {
  const text = JSON.stringify(value);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(response.req.method === 'HEAD' ? undefined : text);
}
