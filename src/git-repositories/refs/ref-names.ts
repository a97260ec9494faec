/** The hash that stands for no object. */
export const NO_HASH = '0'.repeat(40);
export const BRANCHES = 'refs/heads/';
export const TAGS = 'refs/tags/';
/** The heads of pull requests, which the service keeps and clients may fetch: `refs/pull/7/head`. */
export const PULLS = 'refs/pull/';
/** Maximum number of branches and tags of a repository. */
export const MAX_REFS = 10_000;

/** Returns whether git accepts a name for a ref: see `git help check-ref-format`; at most as many bytes as a file name. */
export const isRefName = (name: string): boolean =>
  /^refs\/[^/]/.test(name) &&
  Buffer.byteLength(name) <= 255 &&
  // oxlint-disable-next-line no-control-regex -- refs have none
  !/[\u0000-\u0020\u007f~^:?*[\\\ufffd]|\.\.|@\{|\/\/|\/\.|\.lock(\/|$)|[./]$/.test(name);
