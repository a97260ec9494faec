import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type Socket } from 'node:net';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Application, type Request, type RequestHandler, type Response } from 'express';
import { type Environment } from '../../config/environment';
import { Certificate } from './certificate';
import { Connections } from './connections';
import { continueWhenRead } from './expected-bodies';
import { Created } from '../response/created';
import { BodyAndQuery } from '../request/body-and-query';
import { API_KEY_PARAMETER } from '../request/credentials';
import { Form, plainNameOf } from '../request/form';
import { isLoopback } from '../request/loopback';
import { FileAnswer, sendFile } from '../response/file-answer';
import { JsonWriter } from '../response/json-writer';
import { type InternalRequest, type InternalResponse, sendInternally } from './internal-requests';
import { type MessageClasses, messageClassesOf } from './message-classes';
import { Page } from '../../paging/page';
import { PendingAnswers } from '../response/pending-answers';
import { Routes } from './routes';

/** Maximum interval between checks for late headers and requests, in milliseconds. */
const MAX_CHECK_INTERVAL_MS = 1000;

/** Maximum length of a next-page address with filters of a body: as much as proxies and clients accept in a header. */
const MAX_LINK_LENGTH = 8000;

/** The settings that concern HTTP. */
export type HttpSettings = Pick<
  Environment,
  | 'ANSWER_MEMORY'
  | 'ANSWER_MEMORY_PER_USER'
  | 'BODY_TIMEOUT'
  | 'HEADERS_TIMEOUT'
  | 'HOST'
  | 'KEEP_ALIVE_TIMEOUT'
  | 'PROGRESS_TIMEOUT'
  | 'PUBLIC_URL'
  | 'SHUTDOWN_GRACE'
  | 'TLS_CERT'
  | 'TLS_KEY'
  | 'UPLOAD_TIMEOUT'
  | 'vendorAccountAlias'
>;

/**
 * Nest on Express, with the response sent in one place: JSON unchanged, for a page its items with a `Link` header to the next
 * (`docs/decisions/0005-requests.md#pages`), for a created entity a `Location`, a file, or nothing. As interceptors the same took a third
 * of the time of a small read.
 */
export class ServiceAdapter extends ExpressAdapter {
  readonly routes = new Routes();
  private readonly assets: (() => unknown)[] = [];
  private readonly publicUrl: string | undefined;
  /** The certificate, if the server terminates TLS itself. */
  readonly certificate: Certificate | undefined;
  readonly pendingAnswers: PendingAnswers;
  private readonly json: JsonWriter;
  private serverConnections?: Connections;
  private messageClasses?: MessageClasses;

  /** @throws EnvironmentError when the files of the certificate cannot be used */
  constructor(readonly settings: HttpSettings) {
    super(express());
    const { TLS_CERT, TLS_KEY } = settings;
    if (TLS_CERT !== undefined && TLS_KEY !== undefined)
      this.certificate = new Certificate({ TLS_CERT, TLS_KEY });
    this.publicUrl = settings.PUBLIC_URL?.replace(/\/$/, '');
    this.pendingAnswers = new PendingAnswers({
      perUser: settings.ANSWER_MEMORY_PER_USER,
      total: settings.ANSWER_MEMORY,
    });
    this.json = new JsonWriter(this.pendingAnswers, settings.vendorAccountAlias);
  }

  /** The connections of the server, which Nest creates right after the adapter. */
  get connections(): Connections {
    return this.serverConnections as Connections;
  }

  override initHttpServer(): void {
    const { settings } = this;
    const headersTimeout = settings.HEADERS_TIMEOUT * 1000;
    const express = this.getInstance<Application>();
    this.messageClasses = messageClassesOf(express);
    const server = this.createServer({
      ...this.messageClasses,
      headersTimeout,
      requestTimeout: settings.UPLOAD_TIMEOUT * 1000,
      keepAliveTimeout: settings.KEEP_ALIVE_TIMEOUT * 1000,
      connectionsCheckingInterval: Math.min(MAX_CHECK_INTERVAL_MS, headersTimeout / 10),
    });
    const connections = new Connections(server, {
      handshake: headersTimeout,
      progress: settings.PROGRESS_TIMEOUT * 1000,
      grace: settings.SHUTDOWN_GRACE * 1000,
    });
    const serve = (request: IncomingMessage, response: ServerResponse): void => {
      if (request.url?.charCodeAt(0) !== SLASH) request.url = pathOf(request.url);
      if (connections.begin(response)) express(request as Request, response as Response);
    };
    server.on('request', serve);
    server.on('checkContinue', (request, response) => {
      continueWhenRead(request, response);
      serve(request, response);
    });
    this.httpServer = server;
    this.serverConnections = connections;
  }

  /** Sends a request of a client's request to the service itself (`sendInternally`). */
  sendInternally(
    outer: Request,
    request: InternalRequest,
    options: { maxBytes: number; signal: AbortSignal },
  ): Promise<InternalResponse> {
    const express = this.getInstance<Application>();
    const serve = (message: IncomingMessage, response: ServerResponse): void =>
      void express(message as Request, response as Response);
    return sendInternally(this.messageClasses as MessageClasses, serve, outer, request, options);
  }

  private createServer(options: ServerOptions): Server {
    const { certificate } = this;
    if (!certificate) return createServer(options);
    const server = createTlsServer({ ...options, ...certificate.options });
    certificate.watch(server);
    return server;
  }

  override close(): Promise<void> {
    return this.connections.close(false);
  }

  /** `Routes` reads paths as they are declared; Express would compile each of them. */
  override normalizePath(path: string): string {
    return path;
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

  /** Nest sets this handler last, after all routes and middleware have been added. */
  override setNotFoundHandler(handler: RequestHandler): void {
    this.use(this.routes.handle);
    if (this.assets.length > 0) this.use(inTurn);
    for (const mount of this.assets) mount();
    this.use(handler);
  }

  /** Mounted after the routes, so that the documentation's own page takes precedence over the one among its files. */
  override useStaticAssets(...assets: Parameters<ExpressAdapter['useStaticAssets']>): void {
    this.assets.push(() => super.useStaticAssets(...assets) as unknown);
  }

  /** @returns a promise for responses sent in pieces; Nest awaits it and passes a rejection to the exceptions filter */
  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    if (statusCode !== undefined) response.statusCode = statusCode;
    if (body === undefined) return response.end();
    if (body instanceof FileAnswer) return sendFile(response, body);
    if (body instanceof Page)
      return this.json.send(response, body.items, this.linkHeader(response.req, body.next));
    if (body instanceof Created) {
      return this.json.send(response, body.dto, { Location: this.originOf(response.req) + body.webPath });
    }
    return this.json.send(response, body);
  }

  private linkHeader(request: Request, next: Page<unknown>['next']): Record<string, string> | undefined {
    if (!next) return undefined;
    const url = this.nextUrl(request, next);
    // Filters of a body may be too long for an address.
    const isTooLong = request.query instanceof BodyAndQuery && url.length > MAX_LINK_LENGTH;
    return isTooLong ? undefined : { Link: `<${url}>; rel="next"` };
  }

  private nextUrl(request: Request, next: Readonly<Record<string, number>>): string {
    const { originalUrl } = request;
    const mark = originalUrl.indexOf('?');
    const parameters = new URLSearchParams(mark === -1 ? '' : originalUrl.slice(mark + 1));
    for (const [name, value] of filtersOfBody(request)) parameters.append(name, value);
    for (const name of [...parameters.keys()]) {
      const plain = plainNameOf(name);
      const isReplaced = plain in next && name !== plain;
      if (plain === API_KEY_PARAMETER || plain === 'offset' || isReplaced) parameters.delete(name);
    }
    for (const [name, value] of Object.entries(next)) parameters.set(name, String(value));
    const path = mark === -1 ? originalUrl : originalUrl.slice(0, mark);
    return `${this.originOf(request)}${path}?${parameters.toString()}`;
  }

  /** Returns the address that clients use. A `Host` header is not trusted, because a cache would pass a forged one on to other clients. */
  originOf(request: Request): string {
    if (this.publicUrl !== undefined) return this.publicUrl;
    const { host = '' } = request.headers;
    if (isLoopback(host)) return `${request.protocol}://${host}`;
    const own = addressOf(request.socket);
    const isOwn = host === own || host === `${this.settings.HOST}:${request.socket.localPort}`;
    return isOwn ? `${request.protocol}://${host}` : `${this.certificate ? 'https' : 'http'}://${own}`;
  }
}

/** Returns the filters that are only in the body, which the address of the next page must contain. */
function filtersOfBody(request: Request): [string, string][] {
  const given: unknown = request.query;
  if (!(given instanceof BodyAndQuery) || !(given.body instanceof Form)) return [];
  return [...given.body.entries]
    .filter(([name]) => !given.query.entries.has(name))
    .flatMap(([name, values]) => values.map((value): [string, string] => [name, value]));
}

const SLASH = '/'.charCodeAt(0);

/**
 * Waits until the responses to earlier requests of the connection have been sent: otherwise no code would close the file of a
 * queued response when the client disconnects.
 */
const inTurn: RequestHandler = (_request, response, next) => {
  if (response.socket) next();
  else response.once('socket', () => next());
};

/** Returns path and query of a target in absolute form, `http://host/path`, whose host is ignored like any other. */
const pathOf = (target = ''): string =>
  target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?]*/i, '').replace(/^(?!\/|\*)/, '/');

/** Returns address and port on which a connection was accepted. */
function addressOf({ localAddress = '127.0.0.1', localPort }: Socket): string {
  const address = localAddress.replace(/^::ffff:/, '');
  return `${address.includes(':') ? `[${address}]` : address}:${localPort}`;
}
