import { type Request, type Response } from 'express';
import { TooManyRequestsError } from '../../errors/domain-errors';
import { onResponseEnd } from './response-end';

/** Seconds after which a user with pending answers may try again. */
const RETRY_AFTER = 5;

/** Most bytes of answers that may wait for their clients to take them; 0 = no limit. */
export interface PendingLimits {
  perUser: number;
  total: number;
}

/** A request, with its caller as far as known. */
interface CallersRequest extends Request {
  caller?: { id: number };
}

/** The counted part of an answer that its client has not taken yet. */
export interface HeldAnswer {
  /** Counts it with this many bytes from now on, if they are more than before. */
  grow(bytes: number): void;
}

/** Answers to unauthenticated requests are small, and are not counted. */
const NOBODY = 0;

/**
 * Counts the memory of answers that their clients do not read, for each user and in total, and refuses more to a user who
 * holds some. A user who holds none is always answered, so that nobody is locked out by others.
 */
export class PendingAnswers {
  private readonly byUser = new Map<number, number>();
  private total = 0;

  constructor(private readonly limits: PendingLimits) {}

  /** Whether any answer waits for its client; while none does, `admit` need not be called. */
  get isAny(): boolean {
    return this.total > 0;
  }

  /**
   * @param bytes what an answer would hold; 0 before it is known
   * @throws TooManyRequestsError when the answers that wait for the caller leave no room for it
   */
  admit(request: CallersRequest, bytes: number): void {
    const held = this.byUser.get(request.caller?.id ?? NOBODY) ?? 0;
    if (held === 0) return;
    const { perUser, total } = this.limits;
    const isOverOwn = perUser > 0 && (held >= perUser || held + bytes > perUser);
    const isOverTotal = total > 0 && this.total + bytes > total;
    if (!isOverOwn && !isOverTotal) return;
    const reset = Math.ceil(Date.now() / 1000) + RETRY_AFTER;
    throw new TooManyRequestsError('answer_memory', perUser, Math.max(0, perUser - held), reset, RETRY_AFTER);
  }

  /** Counts an answer until its client has taken it, or is gone. */
  hold(response: Response, bytes: number): HeldAnswer {
    const { caller } = response.req as CallersRequest;
    if (!caller) return { grow: () => undefined };
    let held = 0;
    let isOver = false;
    const add = (more: number): void => {
      held += more;
      this.total += more;
      const left = (this.byUser.get(caller.id) ?? 0) + more;
      if (left > 0) this.byUser.set(caller.id, left);
      else this.byUser.delete(caller.id);
    };
    add(bytes);
    onResponseEnd(response, () => {
      isOver = true;
      add(-held);
    });
    return {
      grow: (size) => {
        if (!isOver && size > held) add(size - held);
      },
    };
  }
}
