import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** V8's own function. It runs a full collection without options: older versions take any options for a minor collection. */
type Collect = (options?: { type: 'minor' }) => void;

let collect: Collect | undefined;

/**
 * Collects garbage and lets native code free the associated resources.
 * @param type a `minor` collection collects recently created objects, in a fiftieth of the time
 */
export async function collectGarbage(type: 'major' | 'minor' = 'major'): Promise<void> {
  collect ??= exposeCollection();
  if (type === 'minor') collect({ type });
  else collect();
  // Finalizers run in a separate turn of the event loop.
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
