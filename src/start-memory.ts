import { Session } from 'node:inspector/promises';

/** Time between two looks at the event loop, in milliseconds, and the share of it in which an idle one may have worked. */
const LOOK_MS = 1000;
const IDLE_SHARE = 0.05;

/**
 * Returns the memory that only the start needed to the operating system, as soon as the process is idle for a second: collecting takes up
 * to 100 ms, for which neither the start nor a request should wait. A busy process needs the memory itself.
 */
export function releaseStartMemory(): void {
  let before = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(before);
    before = performance.eventLoopUtilization();
    if (utilization > IDLE_SHARE) return;
    clearInterval(timer);
    // Without it, the process merely stays larger.
    void collectGarbage().catch(() => undefined);
  }, LOOK_MS).unref();
}

/**
 * While a process is idle, V8 keeps its space for new objects as large as it has become: 32 to 64 MiB, of which an idle service uses hardly
 * any. Only this method of V8's own debugging protocol shrinks it; no port is opened.
 */
async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
}
