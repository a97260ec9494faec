import { MessageChannel } from 'node:worker_threads';
import { type Environment } from '../../config/environment';
import { isOutOfMemory, WorkerThread } from '../../event-loop/worker-thread';
import { type SourceDifference } from '../pull-to-archive';
import { SourceError } from '../source.error';
import { type ReadState } from '../read-state';
import {
  type ReadingAnswer,
  type ReadingProgress,
  type ReadingRequest,
  type ReadingSource,
  type ReadSource,
} from './reading-request';

/** The most memory of a thread: an answer of 64 MiB takes several times as much when it is parsed. */
const MAX_MEMORY_MB = 512;
/** How long git may take to end before the thread does, in milliseconds. */
const STOP_MS = 5000;

/** How a reading is watched and interrupted. */
export interface ReadingCalls {
  signal: AbortSignal;
  onProgress: (progress: ReadingProgress) => void;
}

/**
 * Reads a source into an archive, as `pullToArchive` does, on a thread of its own: its answers take long to parse. The thread connects only to
 * public addresses and those of `IMPORT_SOURCE_ALLOW` (`docs/decisions/0073-sources-over-the-api.md`).
 * @throws SourceError in one sentence, if the source cannot be read, or the reason of the interruption
 */
export const readOnThread = (
  source: ReadingSource,
  archive: string,
  environment: Environment,
  calls: ReadingCalls,
): Promise<ReadSource> => ask({ ...source, to: { archive } }, environment, calls);

/** Reads a source again and compares it, as `compareSource` does, on a thread of its own. @throws as `readOnThread` does */
export const compareOnThread = (
  source: ReadingSource,
  state: ReadState,
  environment: Environment,
  calls: ReadingCalls,
): Promise<SourceDifference[]> => ask({ ...source, to: { compared: state } }, environment, calls);

async function ask<T>(
  request: Omit<ReadingRequest, 'settings' | 'port'>,
  environment: Environment,
  { signal, onProgress }: ReadingCalls,
): Promise<T> {
  signal.throwIfAborted();
  const { port1: port, port2 } = new MessageChannel();
  const thread = new WorkerThread<ReadingRequest, ReadingAnswer>(
    __dirname,
    'source-worker',
    () => undefined,
    {
      resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
    },
  );
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    port.postMessage('stop');
    timer = setTimeout(() => void thread.end(), STOP_MS);
  };
  port.on('message', onProgress);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const answer = await thread.ask({ ...request, settings: { ...environment }, port: port2 }, [port2]);
    signal.throwIfAborted();
    return valueOf(answer) as T;
  } catch (error) {
    signal.throwIfAborted();
    throw isOutOfMemory(error)
      ? new SourceError('The answers of the source take too much memory.', { cause: error })
      : error;
  } finally {
    signal.removeEventListener('abort', stop);
    clearTimeout(timer);
    port.close();
    await thread.end();
  }
}

function valueOf(answer: ReadingAnswer): unknown {
  if ('value' in answer) return answer.value;
  if ('refusal' in answer) throw new SourceError(answer.refusal);
  const { message, code } = answer.failure;
  throw Object.assign(new Error(message), code !== undefined && { code });
}
