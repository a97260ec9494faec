import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';

/**
 * A channel of `node:diagnostics_channel` with typed messages. It belongs to the process, not to one application. Publishing is
 * nearly free without subscribers. A subscriber must not throw, because its error would end the process.
 */
export class DiagnosticsChannel<Message extends object> {
  private readonly channel;

  constructor(name: string) {
    this.channel = channel(`pms:${name}`);
  }

  publish(message: Message): void {
    this.channel.publish(message);
  }

  /** @returns a function that ends the subscription */
  subscribe(listener: (message: Message) => void): () => void {
    const receive = (message: unknown): void => listener(message as Message);
    const { name } = this.channel;
    subscribe(name, receive);
    return () => {
      unsubscribe(name, receive);
    };
  }
}

/** An error response was sent, or a connection refused with it. Any error that is not a domain error is sent as an internal error. */
export const errorsAnswered = new DiagnosticsChannel<{ error: unknown }>('error-answered');

/** A run of background work has ended; the duration is in milliseconds. */
export const backgroundRuns = new DiagnosticsChannel<{ work: string; duration: number; hasFailed: boolean }>(
  'background-run',
);

/** An upload has started. */
export const uploadsBegun = new DiagnosticsChannel<object>('upload-begun');

/** A file of this size has been stored, or its upload has failed. */
export const uploadsEnded = new DiagnosticsChannel<{ bytes: number | undefined }>('upload-ended');

/** Result of a webhook delivery attempt: a 2xx status, another status, no response, or nothing was sent. */
export const ATTEMPT_OUTCOMES = ['delivered', 'refused', 'unanswered', 'withheld'] as const;

export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** A webhook delivery attempt has been recorded; the duration is in milliseconds. */
export const attemptsRecorded = new DiagnosticsChannel<{
  outcome: AttemptOutcome;
  duration: number;
  /** The last attempt has failed. */
  isGivenUp: boolean;
}>('webhook-attempt-recorded');

/** Result of an attempt to send a letter: the mail server took it, did not, or nothing was sent. */
export const LETTER_OUTCOMES = ['sent', 'failed', 'withheld'] as const;

/** An attempt to send a letter has been recorded; the duration is in milliseconds. */
export const lettersAttempted = new DiagnosticsChannel<{
  outcome: (typeof LETTER_OUTCOMES)[number];
  duration: number;
  /** The last attempt has failed. */
  isGivenUp: boolean;
}>('letter-attempted');

/** Called at the end of work. */
type WorkEnd<Outcome> = (outcome: Outcome) => void;

/** A channel for work that starts and ends; a subscriber returns a callback for the end. */
export class WorkChannel<Work extends object, Outcome> {
  private readonly channel;

  constructor(name: string) {
    this.channel = channel(`pms:${name}`);
  }

  /** Whether the channel has subscribers. */
  get isHeard(): boolean {
    return this.channel.hasSubscribers;
  }

  /** Publishes the start of work. @returns a function that publishes its end; undefined without subscribers */
  begin(work: Work): WorkEnd<Outcome> | undefined {
    if (!this.isHeard) return undefined;
    const ends: WorkEnd<Outcome>[] = [];
    this.channel.publish({ work, ends });
    return (outcome) => {
      for (const end of ends) end(outcome);
    };
  }

  subscribe(listener: (work: Work) => WorkEnd<Outcome> | undefined): void {
    subscribe(this.channel.name, (message) => {
      const { work, ends } = message as { work: Work; ends: WorkEnd<Outcome>[] };
      const end = listener(work);
      if (end) ends.push(end);
    });
  }
}

/** A statement, including the wait for a connection. Its text has placeholders for all user input. */
export const statements = new WorkChannel<{ sql: string; system: string }, { error?: unknown }>('statement');

/** Runs a statement, and publishes it on `statements`. */
export function publishStatement<T>(system: string, sql: string, run: () => Promise<T>): Promise<T> {
  const end = statements.begin({ sql, system });
  if (!end) return run();
  const statement = run();
  statement.then(
    () => end({}),
    (error: unknown) => end({ error }),
  );
  return statement;
}

/** A request to a webhook. Subscribers may add headers. */
export const deliveryAttempts = new WorkChannel<
  {
    webhookId: number;
    deliveryId: number;
    attempt: number;
    hookUrl: string;
    headers: Record<string, string>;
  },
  { status?: number; error: string }
>('delivery-attempt');
