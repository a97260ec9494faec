import { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import createRouter, { type HTTPMethod } from 'find-my-way';

const METHODS: readonly HTTPMethod[] = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'];
const MAX_PARAMETER_LENGTH = 1024;
/** Requests are read by the second guard; nothing here looks at the query. */
const noQuery = (): Record<string, string> => ({});
const notCalled = (): void => undefined;

/** A route as it is declared. */
interface Route {
  path: string;
  handler: RequestHandler;
  /** The parameter that takes the rest of the path, which may be empty. */
  rest?: string;
}

/** The end of a path whose last parameter takes all that is left, as Nest and Express write it: `/files/metadata/*path`. */
const REST = /\/\*(\w+)$/;

/** A parameter with a text after it, as in `/:number.diff`: it is something. Without that, another method's route would take the path. */
const BEFORE_TEXT = /:(\w+)(?=\.)/g;

/** A request whose route has been found. */
interface RoutedRequest extends Request {
  routePath?: string;
}

/** A request's method, and the path pattern of the route that it has met; `other` and `none` stand for what no route has. */
export const routeOf = ({
  method,
  routePath = 'none',
}: RoutedRequest): { method: string; route: string } => ({
  method: METHODS.includes(method as HTTPMethod) ? method : 'other',
  route: routePath,
});

/** The method and path pattern of the route that a request has met, such as `GET /api/v2/users/:userId`; none has `GET ?`. */
export const operationOf = (request: Request): string =>
  `${request.method} ${(request as RoutedRequest).routePath ?? '?'}`;

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
    const route: Route = { path, handler, rest: REST.exec(path)?.[1] };
    const pattern = path.replace(REST, '/*').replace(BEFORE_TEXT, ':$1(^[^/]+)');
    this.router.on(method, pattern, notCalled, route);
    if (method === 'GET') this.router.on('HEAD', pattern, notCalled, route);
  }

  /** Express middleware: calls the route's handler, or goes on when there is none. */
  readonly handle = (request: Request, response: Response, next: NextFunction): void => {
    const found = this.find(request.method as HTTPMethod, request.url);
    if (!found) {
      next();
      return;
    }
    request.params = found.params;
    (request as RoutedRequest).routePath = found.route.path;
    void found.route.handler(request, response, next);
  };

  /** The methods that a path has in any route, in capitals; none for an unknown path. */
  methodsOf(path: string): string[] {
    return METHODS.filter((method) => this.find(method, path));
  }

  private find(
    method: HTTPMethod,
    path: string,
  ): { route: Route; params: Record<string, string> } | undefined {
    const found = this.router.find(method, path);
    // A path that is not well-formed percent-encoding is found as well, without a handler.
    const route = found?.store as Route | null | undefined;
    if (!found || !route) return undefined;
    const params = found.params as Record<string, string>;
    if (route.rest === undefined) return Object.values(params).includes('') ? undefined : { route, params };
    const { '*': rest = '', ...others } = params;
    return Object.values(others).includes('')
      ? undefined
      : { route, params: { ...others, [route.rest]: rest } };
  }
}
