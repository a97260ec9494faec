import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type Response } from 'express';
import { type McpHttpHandler } from '@modelcontextprotocol/server';
import { type AuthorizedRequest } from '../access/access';
import { Environment } from '../config/environment';
import { InvalidOriginError, InvalidRequestError } from '../errors/domain-errors';
import { loopTurns } from '../event-loop/loop-turns';
import { inTime, readBody } from '../http/request/request-body';
import { clientSignal } from '../http/server/client-signal';
import { type ServiceAdapter } from '../http/server/service-adapter';
import { OperationCaller } from './operations/operation-caller';
import { type OperationCatalogue, readCatalogue } from './operations/operation-catalogue';

/** What the first request loads. */
interface Loaded {
  handler: McpHttpHandler;
  catalogue: OperationCatalogue;
}

/** Serves the Model Context Protocol (`docs/decisions/0060-mcp.md`). Nothing of it is loaded before the first request. */
@Injectable()
export class McpService {
  private loaded: Promise<Loaded> | undefined;

  constructor(
    private readonly environment: Environment,
    private readonly adapterHost: HttpAdapterHost<ServiceAdapter>,
  ) {}

  /**
   * Answers a request of the protocol.
   * @throws InvalidOriginError for a request of a page that may not use the service, InvalidRequestError for a body that is not JSON
   */
  async serve(request: AuthorizedRequest, response: Response): Promise<void> {
    this.requireOrigin(request);
    const seconds = this.environment.BODY_TIMEOUT;
    const body = await inTime(request, readBody(request, response), seconds);
    await request.onBodyRead?.();
    // Only a revision of the past had them: the calls in one would all run at once.
    if (Array.isArray(body)) throw new InvalidRequestError('Send one message at a time, not a batch.');
    const { handler, catalogue } = await this.load();
    const { httpAdapter } = this.adapterHost;
    const signal = clientSignal(response);
    const call = new OperationCaller(httpAdapter, catalogue, this.environment.BASE_PATH, request, signal);
    const answer = await handler.fetch(webRequestOf(request, signal), {
      parsedBody: body,
      authInfo: { token: '', clientId: String(request.caller.id), scopes: [], extra: { call } },
    });
    const text = await answer.text();
    response.statusCode = answer.status;
    const type = answer.headers.get('content-type');
    if (type !== null) response.setHeader('Content-Type', type);
    response.setHeader('Cache-Control', 'no-store');
    const bytes = Buffer.from(text);
    httpAdapter.pendingAnswers.track(response, bytes.length);
    response.end(bytes);
  }

  private load(): Promise<Loaded> {
    this.loaded ??= load().catch((error: unknown) => {
      // The next request tries again.
      this.loaded = undefined;
      throw error;
    });
    return this.loaded;
  }

  /** Refuses pages of other origins, also those that reach the service under a name of theirs (DNS rebinding). */
  private requireOrigin(request: AuthorizedRequest): void {
    const { origin } = request.headers;
    if (origin === undefined) return;
    const own = new URL(this.adapterHost.httpAdapter.originOf(request)).origin;
    if (origin !== own && !this.environment.CORS_ORIGINS.includes(origin))
      throw new InvalidOriginError(origin);
  }
}

/**
 * Loads one part after the other, so that other requests proceed in between. The libraries are loaded through modules of our own:
 * `import('zod')` would load its other form, which nothing else uses.
 */
async function load(): Promise<Loaded> {
  await import('./libraries/zod-locales.ts');
  await loopTurns.nextSlice();
  await import('./libraries/zod.ts');
  await loopTurns.nextSlice();
  await import('./libraries/validator.ts');
  await loopTurns.nextSlice();
  await import('./libraries/protocol.ts');
  await loopTurns.nextSlice();
  // Node loads its part with the first use of the name; a bundle would leave out an expression without an effect.
  Reflect.get(globalThis, 'Request');
  await loopTurns.nextSlice();
  const catalogue = await readCatalogue();
  await loopTurns.nextSlice();
  const { createHandler } = await import('./mcp-handler.ts');
  await loopTurns.nextSlice();
  return { handler: createHandler(catalogue), catalogue };
}

/** Returns what the protocol's library reads of a request. Its body has been read. */
function webRequestOf({ headers }: AuthorizedRequest, signal: AbortSignal): Request {
  const given = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : [],
  );
  return new Request('http://localhost/mcp', { method: 'POST', headers: given, body: '{}', signal });
}
