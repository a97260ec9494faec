import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';

/**
 * A channel of `node:diagnostics_channel` with typed messages. It belongs to the process, not to one application. Publishing
 * costs next to nothing while nobody subscribes. An error that a subscriber throws would end the process, so it must not throw.
 */
export class DiagnosticsChannel<Message extends object> {
  private readonly channel;

  constructor(name: string) {
    this.channel = channel(`pms:${name}`);
  }

  publish(message: Message): void {
    this.channel.publish(message);
  }

  /** @returns ends the subscription */
  subscribe(listener: (message: Message) => void): () => void {
    const receive = (message: unknown): void => listener(message as Message);
    const { name } = this.channel;
    subscribe(name, receive);
    return () => {
      unsubscribe(name, receive);
    };
  }
}

/** An error has been answered, or a connection refused with it. Anything but a domain error is answered as an internal error. */
export const errorsAnswered = new DiagnosticsChannel<{ error: unknown }>('error-answered');

/** A run of background work has ended; the duration is in milliseconds. */
export const backgroundRuns = new DiagnosticsChannel<{ work: string; duration: number; hasFailed: boolean }>(
  'background-run',
);

/** A file has begun to arrive. */
export const uploadsBegun = new DiagnosticsChannel<object>('upload-begun');

/** A file has been stored, with so many bytes, or its upload has failed. */
export const uploadsEnded = new DiagnosticsChannel<{ bytes: number | undefined }>('upload-ended');

/** How an attempt to deliver to a webhook has ended: with 2xx, another status, no response, or nothing was sent. */
export const ATTEMPT_OUTCOMES = ['delivered', 'refused', 'unanswered', 'withheld'] as const;

export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** An attempt to deliver to a webhook has been recorded; the duration is in milliseconds. */
export const attemptsRecorded = new DiagnosticsChannel<{
  outcome: AttemptOutcome;
  duration: number;
  /** It was the last one, and has failed. */
  isGivenUp: boolean;
}>('webhook-attempt-recorded');

/** Is called at the end of work. */
type WorkEnd<Outcome> = (outcome: Outcome) => void;

/** A channel for work that begins and ends; a subscriber returns what it wants to be called at the end. */
export class WorkChannel<Work extends object, Outcome> {
  private readonly channel;

  constructor(name: string) {
    this.channel = channel(`pms:${name}`);
  }

  /** Whether anybody subscribes. */
  get isHeard(): boolean {
    return this.channel.hasSubscribers;
  }

  /** Publishes the beginning of work. @returns what publishes its end; undefined while nobody subscribes */
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

/** A statement, with the wait for a connection. Its text has placeholders for all that users have written. */
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
