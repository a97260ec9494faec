import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { type Response } from 'express';
import { type AuthorizedRequest } from '../../access/access';
import { Environment } from '../../config/environment';
import { InvalidRequestError, NoResourceError, ServiceUnavailableError } from '../../errors/domain-errors';
import { type GitExit } from '../../git/git-errors';
import { type GitChild, type GitOptions, GitProgram } from '../../git/git-program';
import { type TransferPace } from '../../git/transfer-pace';
import { ClientGoneError, clientSignal } from '../../http/server/client-signal';

/** Time for transfers to end after their connections have been closed at shutdown, in milliseconds. */
const END_MS = 3000;

/** A request of a git client. */
export interface GitRequest {
  repositoryId: number;
  request: AuthorizedRequest;
  response: Response;
}

/** The outcome of a transfer. */
export interface TransferEnd {
  response: Response;
  gone: AbortSignal;
  pace: TransferPace;
  exit: GitExit;
  hasPrinted: boolean;
  begin: () => void;
  /** The error of the request body, if any. */
  failure: Error | undefined;
}

/** Runs the git processes that send to clients or receive from them. */
@Injectable()
export class GitTransfersService implements BeforeApplicationShutdown {
  private readonly logger = new Logger(GitTransfersService.name);
  private readonly transfers = new Set<Promise<void>>();

  constructor(
    private readonly environment: Environment,
    private readonly git: GitProgram,
  ) {}

  /** Waits for transfers within the grace period of all requests, so that accepted pushes are still recorded. */
  async beforeApplicationShutdown(): Promise<void> {
    if (this.transfers.size === 0) return;
    const late = new AbortController();
    const ended = Promise.allSettled(this.transfers).then(() => late.abort());
    await sleep(this.environment.SHUTDOWN_GRACE * 1000 + END_MS, undefined, { signal: late.signal }).catch(
      () => undefined,
    );
    if (!late.signal.aborted) await this.git.stopAll();
    await ended;
  }

  /** Runs a transfer, which the shutdown waits for. */
  async track(transfer: () => Promise<void>): Promise<void> {
    const running = transfer();
    this.transfers.add(running);
    try {
      await running;
    } finally {
      this.transfers.delete(running);
    }
  }

  /** Starts git for a client, when it is its turn. The caller stops it when the client disconnects. */
  async start(
    args: readonly string[],
    { request, response, ...options }: Omit<GitRequest, 'repositoryId'> & Omit<GitOptions, 'userId'>,
  ): Promise<{ child: GitChild; gone: AbortSignal }> {
    const gone = clientSignal(response);
    // A disconnect only cancels the wait for a slot. The caller handles a process that is already running.
    const waiting = new AbortController();
    const leave = (): void => waiting.abort(gone.reason);
    gone.addEventListener('abort', leave);
    gone.throwIfAborted();
    try {
      const child = await this.git.start(args, {
        ...options,
        userId: request.caller.id,
        pool: 'transfers',
        timeoutMs: this.environment.GIT_TIMEOUT * 1000,
        signal: waiting.signal,
      });
      return { child, gone };
    } finally {
      gone.removeEventListener('abort', leave);
    }
  }

  /** Ends the response to a request, with the error if there is one. */
  end({ response, gone, pace, exit, hasPrinted, begin, failure }: TransferEnd): void {
    // Its connection may have been closed because of it.
    pace.throwIfFailed();
    if (gone.aborted || response.req.socket.destroyed) throw new ClientGoneError();
    if (failure !== undefined) throw failure;
    if (!hasPrinted && exit.isGone) throw new NoResourceError('git repository');
    if (!hasPrinted && exit.code === null)
      throw new ServiceUnavailableError(undefined, 'git ended before it had sent a response.');
    if (!hasPrinted && exit.code !== 0) {
      this.logger.warn({ requestId: response.req.id, stderr: exit.stderr }, 'git could not read a request');
      throw new InvalidRequestError('git could not read the request.');
    }
    // It may have begun to be kept alive.
    if (!response.headersSent) begin();
    finish(response, exit);
  }
}

/** Ends the response, or closes the connection if git was killed, so that the client does not accept incomplete output. */
export function finish(response: Response, { code }: GitExit): void {
  if (code === null) response.destroy();
  else response.end();
}
