import { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import createRouter, { type HTTPMethod } from 'find-my-way';

const METHODS: readonly HTTPMethod[] = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'];
const MAX_PARAMETER_LENGTH = 1024;
/** Requests are read by the second guard; the router ignores the query. */
const parseNoQuery = (): Record<string, string> => ({});
const unusedHandler = (): void => undefined;

/** A route as it is declared. */
interface Route {
  path: string;
  handler: RequestHandler;
  /** The parameter that takes the rest of the path, which may be empty. */
  rest?: string;
}

/** The end of a path whose last parameter takes the rest, in the syntax of Nest and Express: `/files/metadata/*path`. */
const REST = /\/\*(\w+)$/;

/** A non-empty parameter before a text, as in `/:number.diff`. Otherwise the path would match the route of another method. */
const BEFORE_TEXT = /:(\w+)(?=\.)/g;

/** A request whose route has been found. */
interface RoutedRequest extends Request {
  routePath?: string;
}

/** Returns a request's method, and the path pattern of its route; `other` and `none` stand for unknown methods and routes. */
export const routeOf = ({
  method,
  routePath = 'none',
}: RoutedRequest): { method: string; route: string } => ({
  method: METHODS.includes(method as HTTPMethod) ? method : 'other',
  route: routePath,
});

/** Returns the method and path pattern of a request's route, such as `GET /api/v2/users/:userId`, or `GET ?` without a route. */
export const operationOf = (request: Request): string =>
  `${request.method} ${(request as RoutedRequest).routePath ?? '?'}`;

/**
 * The service's routes in a tree, so that a lookup takes no longer with a hundred routes than with ten: Express's router tries
 * one after the other. A literal path takes precedence over one with a parameter, regardless of the order of declaration. `HEAD` has the
 * routes of `GET`.
 */
export class Routes {
  private readonly router = createRouter({
    maxParamLength: MAX_PARAMETER_LENGTH,
    querystringParser: parseNoQuery,
    onBadUrl: unusedHandler,
  });

  /** The path patterns of all routes, with parameters as `:name`. */
  readonly paths: string[] = [];

  add(method: HTTPMethod, path: string, handler: RequestHandler): void {
    const route: Route = { path, handler, rest: REST.exec(path)?.[1] };
    const pattern = path.replace(REST, '/*').replace(BEFORE_TEXT, ':$1(^[^/]+)');
    this.router.on(method, pattern, unusedHandler, route);
    this.paths.push(path);
  }

  /** Express middleware: calls the handler of the matching route, or `next` if there is none. */
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

  /** Returns the methods of a path in all routes, in capitals; empty for an unknown path. */
  methodsOf(path: string): string[] {
    return METHODS.filter((method) => this.find(method, path));
  }

  private find(
    method: HTTPMethod,
    path: string,
  ): { route: Route; params: Record<string, string> } | undefined {
    const found = this.router.find(method === 'HEAD' ? 'GET' : method, path);
    // Paths with malformed percent-encoding are also found, but without a handler.
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
