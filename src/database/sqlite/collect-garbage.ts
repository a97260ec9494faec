import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** V8's own function. It collects all without options: older versions take any for a minor collection. */
type Collect = (options?: { type: 'minor' }) => void;

let collect: Collect | undefined;

/**
 * Collects garbage, and lets native code free what belonged to it.
 * @param type what has just been made is collected by a `minor` collection, in a fiftieth of the time
 */
export async function collectGarbage(type: 'major' | 'minor' = 'major'): Promise<void> {
  collect ??= exposeCollection();
  if (type === 'minor') collect({ type });
  else collect();
  // Finalizers run in a turn of their own.
  await turn();
  await turn();
}

function exposeCollection(): Collect {
  setFlagsFromString('--expose-gc');
  try {
    return runInNewContext('gc') as Collect;
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}
