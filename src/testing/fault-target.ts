/** The requests that a fault affects. */
export interface FaultTarget {
  /** `GET`, `POST`, …; any method by default. */
  method?: string;
  /**
   * The path below the base address, without the query: a text such as `/issues/:issueIdOrKey/comments`, in which `:name` stands
   * for one segment and `*` for any text, or a regular expression. Any path by default.
   */
  path?: string | RegExp;
}

const TARGET_FIELDS = ['method', 'path'];
const METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

/**
 * Refuses a target that no request can match, because its fault would never occur.
 * @param basePath without a slash at the end
 * @param routes the path patterns of the service, with the base path
 * @throws TypeError
 */
export function checkTarget(target: FaultTarget, basePath: string, routes: readonly string[]): void {
  const unknown = Object.keys(target).find((name) => !TARGET_FIELDS.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`The target of a fault has a method and a path, not ${unknown}.`);
  const { method, path } = target as { method?: unknown; path?: unknown };
  if (method !== undefined && !(typeof method === 'string' && METHODS.includes(method.toUpperCase()))) {
    throw new TypeError(`The method of a fault is one of ${METHODS.join(', ')}.`);
  }
  if (path === undefined || path instanceof RegExp) return;
  if (typeof path !== 'string')
    throw new TypeError('The path of a fault is a string or a regular expression.');
  if (path.includes('?')) throw new TypeError('The path of a fault has no query: requests match with any.');
  if (basePath !== '' && `${path}/`.startsWith(`${basePath}/`)) {
    throw new TypeError(`The path of a fault is relative to the base address: leave out ${basePath}.`);
  }
  if (!/^[/*]/.test(path)) {
    throw new TypeError('The path of a fault begins with a slash, and is relative to the base address.');
  }
  if (!routes.some((route) => overlap(segmentsOf(basePath + path), segmentsOf(route)))) {
    throw new TypeError(`No operation has the path ${path}.`);
  }
}

const segmentsOf = (path: string): string[] => path.split('/').slice(1);

/** Whether a path can match a target and a route. */
function overlap([segment, ...rest]: string[], [ofRoute, ...restOfRoute]: string[]): boolean {
  // Either stands for any text.
  if (segment?.includes('*') || ofRoute?.startsWith('*')) return true;
  if (segment === undefined || ofRoute === undefined) return segment === ofRoute;
  const matches = segment === ofRoute || segment.includes(':') || ofRoute.includes(':');
  return matches && overlap(rest, restOfRoute);
}

const WILDCARD = /:[A-Za-z_]\w*|\*/g;
const SPECIAL = /[\\^$.*+?()[\]{}|]/g;

/** Creates a predicate on method and path. */
export function targetMatcher({ method, path }: FaultTarget): (method: string, path: string) => boolean {
  const wanted = method?.toUpperCase();
  const pattern = typeof path === 'string' ? patternOf(path) : path && withoutState(path);
  return (given, of) =>
    (wanted === undefined || wanted === given) && (pattern === undefined || pattern.test(of));
}

function patternOf(path: string): RegExp {
  const texts = path.split(WILDCARD).map((text) => text.replace(SPECIAL, String.raw`\$&`));
  const wildcards = path.match(WILDCARD) ?? [];
  const source = texts.map((text, index) => text + partOf(wildcards[index])).join('');
  return new RegExp(`^${source}$`, 's');
}

function partOf(wildcard: string | undefined): string {
  if (wildcard === undefined) return '';
  return wildcard === '*' ? '.*' : '[^/]+';
}

/** With `g` or `y`, a regular expression would continue from its last match. */
const withoutState = (path: RegExp): RegExp => new RegExp(path.source, path.flags.replace(/[gy]/g, ''));
