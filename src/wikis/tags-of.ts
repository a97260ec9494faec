const TAG = /\[([^[\]]+)\]/g;

/** The tags that a page's name carries, each once and in their order: `[dev][api] Keys` has dev and api. */
export function tagsOf(name: string): string[] {
  const tags = [...name.matchAll(TAG)].map(([, tag = '']) => tag.trim());
  return [...new Set(tags)].filter((tag) => tag !== '');
}
