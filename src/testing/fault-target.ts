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

const WILDCARD = /:[A-Za-z_]\w*|\*/g;
const SPECIAL = /[\\^$.*+?()[\]{}|]/g;

/** Creates a predicate on method and path. @throws TypeError for a path that does not start with a slash or a `*` */
export function targetMatcher({ method, path }: FaultTarget): (method: string, path: string) => boolean {
  const wanted = method?.toUpperCase();
  const pattern = typeof path === 'string' ? patternOf(path) : path && withoutState(path);
  return (given, of) =>
    (wanted === undefined || wanted === given) && (pattern === undefined || pattern.test(of));
}

function patternOf(path: string): RegExp {
  if (!/^[/*]/.test(path)) {
    throw new TypeError('The path of a fault begins with a slash, and is relative to the base address.');
  }
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
