import { PROJECT_KEY } from '../projects/project-key';
import { SourceError } from './source.error';

const MAX_LENGTH = 25;

/**
 * Returns the keys of projects by their identifiers: `my-project` becomes `MY_PROJECT`, or what `--project my-project:KEY` names. A key that
 * another project has got before gets a number.
 * @param given keys by the identifiers of their projects
 * @throws SourceError if a given key is not valid, or given twice
 */
export function projectKeys(
  identifiers: readonly string[],
  given: ReadonlyMap<string, string>,
): Map<string, string> {
  const taken = new Set<string>();
  for (const [identifier, key] of given) {
    if (!PROJECT_KEY.test(key)) {
      throw new SourceError(
        `${identifier}:${key} has no valid key: it has at most ${MAX_LENGTH} of A to Z, 0 to 9 and _, and begins with a letter.`,
      );
    }
    if (taken.has(key)) throw new SourceError(`Two projects cannot have the same key ${key}.`);
    taken.add(key);
  }
  return new Map(
    identifiers.map((identifier) => {
      const key = given.get(identifier) ?? freeKey(toProjectKey(identifier), taken);
      taken.add(key);
      return [identifier, key];
    }),
  );
}

/** Returns a key for a project by its name in a source: `my-app` is `MY_APP`. */
export function toProjectKey(name: string): string {
  const key = name
    .toUpperCase()
    .replace(/[^A-Z0-9_]/g, '_')
    .replace(/^_+/, '');
  const started = /^[A-Z]/.test(key) ? key : `P${key}`;
  return started.slice(0, MAX_LENGTH).replace(/_+$/, '');
}

function freeKey(key: string, taken: ReadonlySet<string>): string {
  for (let number = 2, free = key; ; number++) {
    if (!taken.has(free)) return free;
    free = `${key.slice(0, MAX_LENGTH - 1 - String(number).length)}_${number}`;
  }
}
