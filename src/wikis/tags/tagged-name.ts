const TAG = /(\s*)\[([^[\]]+)\](\s*)/g;
const EMPTY_BRACKETS = /^\[\s*\]\s*/;

/** The name of a page as a client writes it, separated into the name and the tags. */
export interface TaggedName {
  /** The name without its tags, which contains no further tag. */
  name: string;
  /** Without duplicates, in their order; undefined when the name has no brackets, which leaves the tags of a page as they are. */
  tags?: string[];
}

/**
 * Separates the tags from a page's name: `[dev][api] Keys` is the page `Keys` with the tags dev and api. Empty brackets at the beginning
 * mean no tags. A name that consists of tags alone keeps them, because a page needs a name.
 */
export function parseTaggedName(input: string): TaggedName {
  const tags = new Set<string>();
  let name = input;
  let isTagged = false;
  // Repeated, because brackets within brackets become tags when the inner ones are gone.
  for (let rest = withoutTags(name, tags); rest !== name; rest = withoutTags(name, tags)) {
    name = rest;
    isTagged = true;
  }
  return { name: name === '' ? input : name, ...(isTagged && { tags: [...tags] }) };
}

/** Returns a name without its outermost readable tags, which are added to `tags`. */
function withoutTags(name: string, tags: Set<string>): string {
  return name
    .replace(TAG, (found, before: string, inside: string, after: string) => {
      const tag = inside.trim();
      if (tag === '') return found;
      tags.add(tag);
      return before || after ? ' ' : '';
    })
    .trim()
    .replace(EMPTY_BRACKETS, '');
}
