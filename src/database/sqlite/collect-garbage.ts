import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/** Collects garbage, and lets native code free what belonged to it. */
export async function collectGarbage(): Promise<void> {
  collect ??= exposeCollection();
  collect();
  // Finalizers run in a turn of their own.
  await turn();
  await turn();
}

function exposeCollection(): () => void {
  setFlagsFromString('--expose-gc');
  try {
    return runInNewContext('gc') as () => void;
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}
