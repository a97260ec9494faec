import { Injectable } from '@nestjs/common';
import { type Response } from 'express';
import { Environment } from '../config/environment';
import { TooManyRequestsError } from '../errors/domain-errors';
import { loopTurns } from '../event-loop/loop-turns';
import { ClientGoneError, clientSignal } from '../http/server/client-signal';
import { onResponseEnd } from '../http/response/response-end';
import { Turns } from './turns';

/** Maximum time that a request waits for another one of the same user, in milliseconds. */
const MAX_WAIT_MS = 2000;
/** Maximum number of waiting requests of one user. */
const MAX_WAITING = 100;

/** Limits the concurrent requests of one user in this process, and shares its event loop fairly among users. */
@Injectable()
export class UserRequestsService {
  private readonly turns: Turns<number>;

  constructor(environment: Environment) {
    const limit = environment.MAX_USER_REQUESTS;
    this.turns = new Turns({
      atOnce: limit,
      maxWaiting: MAX_WAITING,
      maxWaitMs: MAX_WAIT_MS,
      refusal: () => TooManyRequestsError.after('user_requests', limit, MAX_WAIT_MS),
    });
  }

  /**
   * Counts a request until its response has been sent or its client has gone: an unread response counts until then.
   * @returns undefined when the request can proceed; otherwise a promise for its turn, which rejects when its client disconnects
   * @throws TooManyRequestsError, or rejects with it, when the other requests do not finish in time
   */
  enter(userId: number, response: Response): Promise<void> | undefined {
    const leave = (): void => this.turns.release(userId);
    const turn = this.turns.take(userId, () => clientSignal(response));
    if (turn) {
      return turn.then(() => {
        onResponseEnd(response, leave);
        return this.enterLoop(userId, response);
      });
    }
    onResponseEnd(response, leave);
    return this.enterLoop(userId, response);
  }

  private enterLoop(userId: number, { req }: Response): Promise<void> | undefined {
    return loopTurns.enter(userId)?.then(() => {
      if (req.socket.destroyed) throw new ClientGoneError();
    });
  }
}
