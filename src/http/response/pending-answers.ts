import { type Request, type Response } from 'express';
import { TooManyRequestsError } from '../../errors/domain-errors';
import { onResponseEnd } from './response-end';

/** Seconds after which a user with pending responses may retry. */
const RETRY_AFTER = 5;

/** Maximum number of bytes of responses that may wait for their clients to read them; 0 = no limit. */
export interface PendingLimits {
  perUser: number;
  total: number;
}

/** A request, with its caller if known. */
interface CallersRequest extends Request {
  caller?: { id: number };
}

/** The counted part of a response that its client has not read yet. */
export interface PendingAnswer {
  /** Raises the count to this number of bytes, if it was lower. */
  raiseTo(bytes: number): void;
}

/** Responses to unauthenticated requests are small and not counted. */
const NOBODY = 0;

/**
 * Counts the memory of responses that their clients do not read, per user and in total, and refuses further ones to a user who
 * holds some. A user who holds none always gets a response, so that no user is locked out by others.
 */
export class PendingAnswers {
  private readonly byUser = new Map<number, number>();
  private total = 0;

  constructor(private readonly limits: PendingLimits) {}

  /** Whether any response waits for its client; if none does, `admit` need not be called. */
  get hasPending(): boolean {
    return this.total > 0;
  }

  /**
   * Checks that the caller may hold another response.
   * @param bytes size of the response; 0 while it is unknown
   * @throws TooManyRequestsError when the pending responses of the caller leave no room for it
   */
  admit(request: CallersRequest, bytes: number): void {
    const held = this.byUser.get(request.caller?.id ?? NOBODY) ?? 0;
    if (held === 0) return;
    const { perUser, total } = this.limits;
    const isOverOwn = perUser > 0 && (held >= perUser || held + bytes > perUser);
    const isOverTotal = total > 0 && this.total + bytes > total;
    if (!isOverOwn && !isOverTotal) return;
    const reset = Math.ceil(Date.now() / 1000) + RETRY_AFTER;
    const [limit, setting] = isOverOwn ? [perUser, undefined] : [total, 'ANSWER_MEMORY'];
    const remaining = Math.max(0, perUser - held);
    throw new TooManyRequestsError('answer_memory', limit, remaining, reset, RETRY_AFTER, setting);
  }

  /** Counts a response until its client has read it or has gone. */
  track(response: Response, bytes: number): PendingAnswer {
    const { caller } = response.req as CallersRequest;
    if (!caller) return { raiseTo: () => undefined };
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
      raiseTo: (size) => {
        if (!isOver && size > held) add(size - held);
      },
    };
  }
}
