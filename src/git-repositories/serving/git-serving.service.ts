import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type Response } from 'express';
import { type AuthorizedRequest } from '../../access/access';
import { Environment } from '../../config/environment';
import {
  InvalidRequestError,
  NoResourceError,
  ServiceUnavailableError,
  UnauthorizedOperationError,
} from '../../errors/domain-errors';
import { toGitError } from '../../git/git-errors';
import {
  type GitChild,
  type GitExit,
  type GitOptions,
  GitProgram,
  LIMITED_MEMORY,
} from '../../git/git-program';
import { TransferPace } from '../../git/transfer-pace';
import { refuseBody } from '../../http/request/request-body';
import { queryOf } from '../../http/request/query';
import { ClientGoneError, clientSignal } from '../../http/server/client-signal';
import { type ServiceAdapter } from '../../http/server/service-adapter';
import { LimitedLogger } from '../../logging/limited-logger';
import { requestDetails } from '../../logging/request-log.service';
import { type RefUpdate } from '../entities/git-push.entity';
import { type DefaultBranch } from '../data/git-repository.repository';
import { GitSizesService } from '../storage/git-sizes.service';
import { DefaultBranchService } from '../default-branch.service';
import { PushesService } from '../pushes/pushes.service';
import { GitHeadService } from '../refs/git-head.service';
import { BRANCHES, GitRefsService, isRefName, NO_HASH, TAGS } from '../refs/git-refs.service';
import {
  beginAnswer,
  bodyOf,
  type GitService,
  isVersion2,
  protocolOf,
  requireBodyOf,
  SERVICES,
} from './git-request';
import { discard, feed, paced, send } from './git-transfer';
import { FLUSH, pktLine } from './pkt-line';
import {
  isCreation,
  isDeletion,
  MAX_COMMANDS,
  type PushCommands,
  readPushCommands,
  refusal,
  takesReport,
} from './push-commands';
import { PROTECTED_REF, PushHookService } from './push-hook.service';

/** Maximum number of branches and tags of a repository. */
export const MAX_REFS = 10_000;
/** Maximum size of the request body of a fetch, in bytes. */
const MAX_NEGOTIATION_SIZE = 8 * 1024 * 1024;
/** Maximum size of a push beyond its pack, in bytes: its commands, and what is still read after git has rejected it. */
const PUSH_ALLOWANCE = 64 * 1024 * 1024;
/** Time for transfers to end after their connections have been closed at shutdown, in milliseconds. */
const END_MS = 3000;

/** Settings that make git serve only branches and tags. */
const SERVED = {
  'transfer.hideRefs': ['refs/', `!${BRANCHES}`, `!${TAGS}`],
  // Larger files are streamed instead of being held in memory.
  'core.bigFileThreshold': '32m',
} as const;
const FETCH_SETTINGS = {
  ...SERVED,
  'uploadpack.allowFilter': 'true',
  'uploadpack.allowAnySHA1InWant': 'true',
} as const;
const PUSH_SETTINGS = {
  ...SERVED,
  'transfer.fsckObjects': 'true',
  'receive.fsckObjects': 'true',
  // Keeps packs: unpacked into loose objects, their deltas could take a hundred times as much space.
  'receive.unpackLimit': '1',
  'receive.autogc': 'false',
  'receive.advertisePushOptions': 'false',
  // A setting of the repository determines whether the default branch may be deleted.
  'receive.denyDeleteCurrent': 'ignore',
} as const;

/** A request of a git client. */
export interface GitRequest {
  repositoryId: number;
  request: AuthorizedRequest;
  response: Response;
}

/** Serves git over HTTP through the installed git, with backpressure in both directions. */
@Injectable()
export class GitServingService implements BeforeApplicationShutdown {
  private readonly logger = new Logger(GitServingService.name);
  private readonly tooSlow = new LimitedLogger(this.logger);
  private readonly transfers = new Set<Promise<void>>();

  constructor(
    private readonly environment: Environment,
    private readonly git: GitProgram,
    private readonly heads: GitHeadService,
    private readonly refs: GitRefsService,
    private readonly branches: DefaultBranchService,
    private readonly pushes: PushesService,
    private readonly hook: PushHookService,
    private readonly sizes: GitSizesService,
    private readonly adapterHost: HttpAdapterHost<ServiceAdapter>,
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

  /**
   * Sends the branches and tags, the first step of a fetch or a push.
   * @throws UnauthorizedOperationError for the older protocol, in which clients read files; GitUnavailableError
   */
  async advertise({ repositoryId, request, response }: GitRequest): Promise<void> {
    refuseBody(request);
    const service = serviceOf(request);
    const { defaultBranch } = await this.branches.get(repositoryId);
    const repository = await this.heads.open(repositoryId, defaultBranch);
    const isFetch = service === 'git-upload-pack';
    // Version 2 does not exist for pushes.
    const env = isFetch ? protocolOf(request) : {};
    const args = isFetch
      ? ['upload-pack', '--strict', '--http-backend-info-refs', repository]
      : ['receive-pack', '--http-backend-info-refs', repository];
    const config = isFetch ? FETCH_SETTINGS : PUSH_SETTINGS;
    const { child, gone } = await this.start(args, { request, response, repository, config, env });
    gone.addEventListener('abort', () => child.stop());
    child.stdin.end();
    const begin = (): void => {
      beginAnswer(response, `${service}-advertisement`);
      if (!isVersion2(env)) response.write(Buffer.concat([pktLine(`# service=${service}\n`), FLUSH]));
    };
    const hasPrinted = await send(child, response, gone, begin, this.paceOf(request));
    const exit = await child.exited;
    if (gone.aborted) throw new ClientGoneError();
    if (!hasPrinted) throw toGitError(args, exit);
    finish(response, exit);
  }

  /**
   * Sends the objects that a clone or a fetch requests.
   * @throws InvalidRequestError, TooLargeFileError, GitUnavailableError
   */
  async fetch({ repositoryId, request, response }: GitRequest): Promise<void> {
    const service = 'git-upload-pack';
    requireBodyOf(request, service);
    const { defaultBranch } = await this.branches.get(repositoryId);
    const repository = await this.heads.open(repositoryId, defaultBranch);
    const { child, gone } = await this.start(['upload-pack', '--strict', '--stateless-rpc', repository], {
      request,
      response,
      repository,
      config: FETCH_SETTINGS,
      env: protocolOf(request),
    });
    gone.addEventListener('abort', () => child.stop());
    await this.track(async () => {
      const pace = this.paceOf(request);
      const body = bodyOf(request, MAX_NEGOTIATION_SIZE);
      const feeding = feedOrStop(child, paced(request, body, pace));
      const begin = (): void => beginAnswer(response, `${service}-result`);
      const hasPrinted = await send(child, response, gone, begin, pace);
      const exit = await child.exited;
      this.end({ response, gone, exit, hasPrinted, begin, failure: await feeding });
    });
  }

  /**
   * Passes a push to git, and records the accepted changes before the response ends.
   * @throws InvalidRequestError, TooLargeFileError, GitUnavailableError
   */
  async push(push: GitRequest): Promise<void> {
    requireBodyOf(push.request, 'git-receive-pack');
    const { MAX_PUSH_SIZE } = this.environment;
    const body = bodyOf(push.request, MAX_PUSH_SIZE === 0 ? 0 : 2 * MAX_PUSH_SIZE + PUSH_ALLOWANCE);
    return this.track(async () => {
      // Git's timeout does not cover reading the commands, waiting for a slot, or discarding what git does not read.
      const late = setTimeout(() => endUnread(push.request), 2 * this.environment.GIT_TIMEOUT * 1000);
      const pace = this.paceOf(push.request);
      try {
        await this.takePush(push, paced(push.request, body, pace), pace);
      } finally {
        clearTimeout(late);
        // The rest is no longer read from the connection. The next part of a client that is too slow would delay its answer.
        const end = body.return();
        if (pace.hasFailed) end.catch(() => undefined);
        else await end;
      }
    });
  }

  private async takePush(
    { repositoryId, request, response }: GitRequest,
    body: AsyncIterator<Buffer>,
    pace: TransferPace,
  ): Promise<void> {
    const service = 'git-receive-pack';
    const begin = (): void => beginAnswer(response, `${service}-result`);
    this.adapterHost.httpAdapter.connections.allowLong(response);
    const commands = await unlessGone(request, readPushCommands(body));
    const branch = await this.branches.get(repositoryId);
    const repository = await this.heads.open(repositoryId, branch.defaultBranch);
    const room = await this.sizes.roomForPush();
    const refused = await this.refusalOf(commands, { repositoryId, userId: request.caller.id, room });
    if (refused ?? commands.updates.length === 0) {
      if (refused && !takesReport(commands)) throw new InvalidRequestError('The push cannot be accepted.');
      await unlessGone(request, discard(body));
      begin();
      response.end(refused);
      return;
    }
    const updates = commands.updates.filter(({ ref }) => ref.startsWith(BRANCHES) || ref.startsWith(TAGS));
    const { child, gone } = await this.start(['receive-pack', '--stateless-rpc', repository], {
      request,
      response,
      repository,
      ...(await this.settingsFor(branch, updates, room)),
    });
    let isWhole = false;
    // Once git has the whole body, it may finish: an accepted push stays accepted even if the client has disconnected.
    gone.addEventListener('abort', () => isWhole || child.stop());
    if (gone.aborted) child.stop();
    let pushId: number | undefined;
    try {
      // Git has not received any input yet.
      if (updates.length > 0) pushId = await this.pushes.announce(repositoryId, request.caller.id, updates);
    } catch (error) {
      child.stop();
      throw error;
    }
    const feeding = feedOrStop(child, body, commands.bytes).finally(() => (isWhole = true));
    const hasPrinted = await send(child, response, gone, begin, pace);
    const exit = await child.exited;
    if (pushId !== undefined) await this.record(pushId, repositoryId);
    this.end({ response, gone, exit, hasPrinted, begin, failure: await feeding });
  }

  /** Returns the report to the client of a push that is refused before it is passed to git; undefined for any other push. */
  private async refusalOf(
    push: PushCommands,
    { repositoryId, userId, room }: { repositoryId: number; userId: number; room: number | undefined },
  ): Promise<Buffer | undefined> {
    if (push.isTooLong)
      return refusal(
        { ...push, updates: [] },
        () => undefined,
        `at most ${MAX_COMMANDS} refs, listed in at most 1 MiB, can be pushed at once`,
      );
    const isBad = ({ ref }: RefUpdate): boolean => !isRefName(ref);
    if (push.updates.some(isBad))
      return refusal(push, (update) => (isBad(update) ? 'no name for a branch or a tag' : undefined));
    // Without room, refs can still be deleted.
    if (room === 0 && !push.updates.every(isDeletion))
      return refusal(push, () => 'the space has no room left');
    const created = push.updates.filter(isCreation);
    if (created.length === 0 && !push.updates.some(isDeletion)) return undefined;
    const refs = await this.refs.list(repositoryId, undefined, userId);
    const present = new Map(refs.map(({ name, hash }) => [name, hash]));
    // If git does not know the old commit of a deletion, it deletes the ref without checking its value, and without the hook.
    const isUnknown = (update: RefUpdate): boolean =>
      isDeletion(update) && present.get(update.ref) !== update.oldHash;
    if (push.updates.some(isUnknown))
      return refusal(push, (update) => (isUnknown(update) ? 'it is not there, or has changed' : undefined));
    if (present.size + created.length <= MAX_REFS || created.length === 0) return undefined;
    return refusal(push, (update) =>
      isCreation(update) ? `a repository can have at most ${MAX_REFS} branches and tags` : undefined,
    );
  }

  private async settingsFor(
    { defaultBranch, protectsDefaultBranch }: DefaultBranch,
    updates: readonly RefUpdate[],
    room: number | undefined,
  ): Promise<Pick<GitOptions, 'config' | 'env'>> {
    const ref = BRANCHES + defaultBranch;
    const isConcerned = updates.some((update) => update.ref === ref && update.oldHash !== NO_HASH);
    const needsHook = protectsDefaultBranch && isConcerned;
    return {
      config: {
        ...PUSH_SETTINGS,
        'receive.maxInputSize': String(room ?? 0),
        ...(needsHook && { 'core.hooksPath': await this.hook.requireFolder() }),
      },
      env: { ...LIMITED_MEMORY, ...(needsHook && { [PROTECTED_REF]: ref }) },
    };
  }

  /** Records a push. If that fails, for example because the database is unavailable, the push is recorded later. */
  private async record(pushId: number, repositoryId: number): Promise<void> {
    try {
      await this.pushes.record(repositoryId, pushId);
    } catch (error) {
      this.logger.error({ err: error, repositoryId }, 'A push could not be recorded yet');
    }
  }

  private async start(
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

  private end({ response, gone, exit, hasPrinted, begin, failure }: TransferEnd): void {
    if (gone.aborted || response.req.socket.destroyed) throw new ClientGoneError();
    if (failure !== undefined) throw failure;
    if (!hasPrinted && exit.isGone) throw new NoResourceError('git repository');
    if (!hasPrinted && exit.code === null)
      throw new ServiceUnavailableError(undefined, 'git was ended before it had an answer.');
    if (!hasPrinted && exit.code !== 0) {
      this.logger.warn({ requestId: response.req.id, stderr: exit.stderr }, 'git could not read a request');
      throw new InvalidRequestError('git could not read the request.');
    }
    if (!hasPrinted) begin();
    finish(response, exit);
  }

  /** Creates the pace of a transfer; logs when its client is too slow. */
  private paceOf(request: AuthorizedRequest): TransferPace {
    const pace = new TransferPace(this.environment);
    pace.onTooSlow((error) =>
      this.tooSlow.warn(requestDetails(request), `A transfer was ended: ${error.message} (GIT_MIN_RATE)`),
    );
    return pace;
  }

  private async track(transfer: () => Promise<void>): Promise<void> {
    const running = transfer();
    this.transfers.add(running);
    try {
      await running;
    } finally {
      this.transfers.delete(running);
    }
  }
}

/** The outcome of a transfer. */
interface TransferEnd {
  response: Response;
  gone: AbortSignal;
  exit: GitExit;
  hasPrinted: boolean;
  begin: () => void;
  /** The error of the request body, if any. */
  failure: Error | undefined;
}

/** Returns the service that a client requests. */
function serviceOf(request: AuthorizedRequest): GitService {
  const [service] = queryOf(request).entries.get('service') ?? [];
  const known = SERVICES.find((name) => name === service);
  if (!known)
    throw new UnauthorizedOperationError(
      'Repositories are served by the smart protocol of git alone: git-upload-pack and git-receive-pack.',
    );
  return known;
}

/** Passes the body to git. Resolves with the error of the body, if any, after stopping git. */
async function feedOrStop(
  child: GitChild,
  body: AsyncIterator<Buffer>,
  first?: Buffer,
): Promise<Error | undefined> {
  try {
    await feed(child, body, first);
    return undefined;
  } catch (error) {
    child.stop();
    return error as Error;
  }
}

/** Closes the connection of a request whose body has not arrived. */
function endUnread(request: AuthorizedRequest): void {
  if (!request.complete) request.destroy();
}

/** Replaces the error of a closed connection by a `ClientGoneError`. */
async function unlessGone<T>(request: AuthorizedRequest, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw request.socket.destroyed ? new ClientGoneError() : error;
  }
}

/** Ends the response, or closes the connection if git was killed, so that the client does not accept incomplete output. */
function finish(response: Response, { code }: GitExit): void {
  if (code === null) response.destroy();
  else response.end();
}
