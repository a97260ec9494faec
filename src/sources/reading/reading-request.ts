import { type MessagePort } from 'node:worker_threads';
import { type Environment } from '../../config/environment';
import { type Loss } from '../losses';
import { type SourceOptions, type SourceProgress } from '../source';
import { type ReadState } from '../read-state';

/** How a thread reads a source. */
export type ReadingOptions = Pick<
  SourceOptions,
  'spool' | 'keys' | 'projects' | 'projectKeys' | 'textFormat' | 'gitUser' | 'gitPassword'
>;

/** A source that a thread reads. */
export interface ReadingSource {
  /** Its address. */
  from: string;
  options: ReadingOptions;
}

/** What a thread is asked. */
export interface ReadingRequest extends ReadingSource {
  /** The archive to write, or what was read before, to be compared with the source. */
  to: { archive: string } | { compared: ReadState };
  /** The values of the settings. */
  settings: Partial<Environment>;
  /** Gets a message to stop, and sends `ReadingProgress`. */
  port: MessagePort;
}

/** How far a thread is. */
export interface ReadingProgress extends SourceProgress {
  /** Until when the limits of the source let it wait, in milliseconds; null if they do not. */
  waitingUntil: number | null;
}

/** What a thread has read. */
export interface ReadSource {
  bytes: number;
  losses: readonly Loss[];
  state: ReadState;
}

/** The answer of a thread: `ReadSource`, or the `SourceDifference`s. */
export type ReadingAnswer =
  | { value: unknown }
  /** The source cannot be read, in one sentence. */
  | { refusal: string }
  | { failure: { message: string; code?: string } };
