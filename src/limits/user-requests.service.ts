import { Injectable } from '@nestjs/common';
import { type Response } from 'express';
import { Environment } from '../config/environment';
import { TooManyRequestsError } from '../errors/domain-errors';
import { loopTurns } from '../event-loop/loop-turns';
import { ClientGoneError, clientSignal } from '../http/server/client-signal';
import { onResponseEnd } from '../http/response/response-end';
import { Turns } from './turns';

/** Longest wait of a request for another of the same user to end. */
const MAX_WAIT_MS = 2000;
/** Most requests of one user that wait. */
const MAX_WAITING = 100;

/** Limits how many requests of one user are under way at once in this process, and shares its event loop out among them. */
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
   * Counts a request until its answer has been sent or its client has gone: one whose answer is not read counts until then.
   * @returns undefined when the request can go on; otherwise a promise for its turn, which rejects when its client goes
   * @throws TooManyRequestsError, or rejects with it, when the others do not end in time
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
