import { Session } from 'node:inspector/promises';

/**
 * Returns the memory that only the start needed to the operating system, before the first request. While a process is idle, V8 keeps its
 * space for new objects as large as it has become: 32 to 64 MiB, of which an idle service uses hardly any. Only this method of V8's own
 * debugging protocol shrinks it; no port is opened.
 */
export async function releaseStartMemory(): Promise<void> {
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
}
