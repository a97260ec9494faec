const TAG = /\[([^[\]]+)\]/g;

/** Returns the tags in a page's name without duplicates, in their order: `[dev][api] Keys` has dev and api. */
export function tagsOf(name: string): string[] {
  const tags = [...name.matchAll(TAG)].map(([, tag = '']) => tag.trim());
  return [...new Set(tags)].filter((tag) => tag !== '');
}
