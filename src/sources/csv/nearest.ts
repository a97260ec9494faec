/** A name with more characters is not compared: it is no misspelling. */
const MAX_LENGTH = 100;
/** The most letters that may be wrong. */
const MOST = 0.4;

/**
 * Returns the known name that a misspelled one may mean: the one with the fewest changed, added or missing letters, at most two of five.
 */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  let best: string | undefined;
  let fewest = Math.ceil(name.length * MOST) + 1;
  for (const one of known) {
    if (one.length > MAX_LENGTH) continue;
    const changes = distance(name.toLowerCase(), one.toLowerCase());
    if (changes < fewest) [best, fewest] = [one, changes];
  }
  return best;
}

/** Returns the question that ends a message about an unknown name. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const one = nearest(name, known);
  return one === undefined ? '' : `: did you mean ${JSON.stringify(one)}?`;
}

/** Returns the Levenshtein distance of two texts. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const changed = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
