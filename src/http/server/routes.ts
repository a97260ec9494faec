import { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import createRouter, { type HTTPMethod } from 'find-my-way';

const METHODS: readonly HTTPMethod[] = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'];
const MAX_PARAMETER_LENGTH = 1024;
/** Requests are read by the second guard; nothing here looks at the query. */
const noQuery = (): Record<string, string> => ({});
const notCalled = (): void => undefined;

/**
 * The service's routes in a tree, so that finding one takes no longer among a hundred than among ten: Express's router tries
 * one after the other. A literal path comes before one with a parameter, in whatever order they are declared.
 */
export class Routes {
  private readonly router = createRouter({
    maxParamLength: MAX_PARAMETER_LENGTH,
    querystringParser: noQuery,
    onBadUrl: notCalled,
  });

  add(method: HTTPMethod, path: string, handler: RequestHandler): void {
    this.router.on(method, path, notCalled, handler);
    if (method === 'GET') this.router.on('HEAD', path, notCalled, handler);
  }

  /** Express middleware: calls the route's handler, or goes on when there is none. */
  readonly handle = (request: Request, response: Response, next: NextFunction): void => {
    const found = this.find(request.method as HTTPMethod, request.url);
    if (!found) {
      next();
      return;
    }
    request.params = found.params;
    void found.handler(request, response, next);
  };

  /** The methods that a path has in any route, in capitals; none for an unknown path. */
  methodsOf(path: string): string[] {
    return METHODS.filter((method) => this.find(method, path));
  }

  private find(
    method: HTTPMethod,
    path: string,
  ): { handler: RequestHandler; params: Record<string, string> } | undefined {
    const found = this.router.find(method, path);
    // A path that is not well-formed percent-encoding is found as well, without a handler.
    const handler = found?.store as RequestHandler | null | undefined;
    if (!found || !handler) return undefined;
    const params = found.params as Record<string, string>;
    return Object.values(params).includes('') ? undefined : { handler, params };
  }
}
