import { rm } from 'node:fs/promises';
import { parentPort } from 'node:worker_threads';
import { BackupError } from '../../backup/backup.error';
import { Environment } from '../../config/environment';
import { AddressGuard } from '../../outgoing/address-guard';
import { compareSource, type PullOptions, pullToArchive } from '../pull-to-archive';
import { type SourceProgress } from '../source';
import { SourceError } from '../source.error';
import {
  type ReadingAnswer,
  type ReadingProgress,
  type ReadingRequest,
  type ReadSource,
} from './reading-request';

const PROGRESS_MS = 500;

parentPort?.on('message', (request: ReadingRequest) => {
  void answer(request).then((answered) => parentPort?.postMessage(answered));
});

async function answer({ from, options, to, settings, port }: ReadingRequest): Promise<ReadingAnswer> {
  const stopping = new AbortController();
  port.on('message', () => stopping.abort());
  const environment = Object.assign(new Environment(), settings);
  const progress = new SentProgress((sent) => port.postMessage(sent));
  const pull: PullOptions = {
    ...{ ...options, environment, signal: stopping.signal },
    guard: new AddressGuard('IMPORT_SOURCE_ALLOW', environment.IMPORT_SOURCE_ALLOW),
    onProgress: (now) => progress.update(now),
    onWait: (milliseconds) => progress.wait(Date.now() + milliseconds),
  };
  try {
    if ('compared' in to) return { value: await compareSource(from, pull, to.compared) };
    // That of a run that was killed before its import knew of it.
    await rm(to.archive, { force: true });
    const { bytes, losses, state } = await pullToArchive(from, to.archive, pull);
    return { value: { bytes, losses, state } satisfies ReadSource };
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    if (error instanceof SourceError || error instanceof BackupError) return { refusal: message };
    return { failure: { message, ...(typeof code === 'string' && { code }) } };
  } finally {
    port.close();
  }
}

/** Sends progress, but not each step of it. */
class SentProgress {
  private now: ReadingProgress = { what: '', done: 0, total: 0, waitingUntil: null };
  private sent = 0;

  constructor(private readonly send: (progress: ReadingProgress) => void) {}

  update(progress: SourceProgress): void {
    const isNew = progress.what !== this.now.what;
    this.now = { ...progress, waitingUntil: null };
    if (isNew || performance.now() - this.sent >= PROGRESS_MS) this.sendNow();
  }

  wait(until: number): void {
    if (until <= (this.now.waitingUntil ?? 0)) return;
    this.now.waitingUntil = until;
    this.sendNow();
  }

  private sendNow(): void {
    this.sent = performance.now();
    this.send(this.now);
  }
}
