import { loopTurns } from './loop-turns';

/**
 * Returns a list or an object with each of its values changed as background work: other work gets its turn after each. Returns any other
 * value as it is.
 * @param change gets a value, and its name or index
 */
export async function changeInside(
  value: unknown,
  change: (inner: unknown, name: string) => unknown,
): Promise<unknown> {
  if (typeof value !== 'object' || value === null) return value;
  const changed: [string, unknown][] = [];
  for (const [name, inner] of Object.entries(value)) {
    changed.push([name, await change(inner, name)]);
    const pause = loopTurns.pauseInBackground();
    if (pause) await pause;
  }
  return Array.isArray(value) ? changed.map(([, inner]) => inner) : Object.fromEntries(changed);
}
