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
import { GitRefsDamagedError, toGitError } from '../../git/git-errors';
import { GitHousekeeping } from '../../git/git-housekeeping';
import {
  type GitChild,
  type GitExit,
  type GitOptions,
  GitProgram,
  LIMITED_MEMORY,
} from '../../git/git-program';
import { GitStore } from '../../git/git-store';
import { syncRefFiles, syncRefs } from '../../git/sync-folders';
import { TransferPace } from '../../git/transfer-pace';
import { refuseBody } from '../../http/request/request-body';
import { queryOf } from '../../http/request/query';
import { ClientGoneError, clientSignal } from '../../http/server/client-signal';
import { type ServiceAdapter } from '../../http/server/service-adapter';
import { type RefUpdate } from '../entities/git-push.entity';
import { type DefaultBranch } from '../data/git-repository.repository';
import { GitSizesService } from '../storage/git-sizes.service';
import { DefaultBranchService } from '../default-branch.service';
import { PushesService } from '../pushes/pushes.service';
import { GitHeadService } from '../refs/git-head.service';
import { BRANCHES, GitRefsService, NO_HASH, PULLS, TAGS } from '../refs/git-refs.service';
import { findDamagedRefs, type RefReader, requireReadable } from '../refs/ref-states';
import {
  beginAnswer,
  bodyOf,
  discardRest,
  type GitService,
  isCompressed,
  isVersion2,
  protocolOf,
  requireBodyOf,
  SERVICES,
} from './git-request';
import { feed, paced, send } from './git-transfer';
import { FLUSH, KEEP_ALIVE, messageLine, pktLine } from './pkt-line';
import { isCreation, readPushCommands, reportOnSkipped, takesMessages, takesReport } from './push-commands';
import { PROTECTED_REF, PushHookService } from './push-hook.service';
import { refusalOf, wordOn } from './push-refusal';
import { isFullDisk, PushReport } from './push-report';

/** Maximum size of the request body of a fetch, in bytes. */
const MAX_NEGOTIATION_SIZE = 8 * 1024 * 1024;
/** Maximum size of a push beyond its pack, in bytes: its commands, and what is still read after git has rejected it. */
const PUSH_ALLOWANCE = 64 * 1024 * 1024;
/** Time for transfers to end after their connections have been closed at shutdown, in milliseconds. */
const END_MS = 3000;
/** Number of new refs of a push from which they are packed into one file: each has a file of its own otherwise. */
const MANY_REFS = 500;
/** Maximum number of damaged refs that are hidden from a client. */
const MAX_HIDDEN = 1000;
/** Interval at which a connection is kept alive while a push is recorded, in milliseconds. */
const KEEP_ALIVE_MS = 5000;
/** Maximum unpacked size of a compressed push if `MAX_PUSH_SIZE` sets no limit, in bytes. Git itself never compresses pushes. */
const MAX_UNPACKED = 1024 ** 3;
/** How the request for the list of refs starts in version 2 of the protocol. */
const LIST_OF_REFS = /^[0-9a-f]{4}command=ls-refs\n?/;
const DAMAGED =
  'it is damaged on the server, and unknown there: the operator can repair it with pms doctor --fix';
const DISK_FULL =
  'The disk of the server is full. Nothing that was refused is stored; its operator has to free space.';

/** The refs that git serves: only branches and tags. */
const SERVED = ['refs/', `!${BRANCHES}`, `!${TAGS}`];
/** Settings of fetches. The heads of pull requests can be fetched, and are never pushed. */
const FETCH_SETTINGS = {
  'transfer.hideRefs': [...SERVED, `!${PULLS}`],
  // Larger files are streamed instead of being held in memory.
  'core.bigFileThreshold': '32m',
  'uploadpack.allowFilter': 'true',
  'uploadpack.allowAnySHA1InWant': 'true',
} as const;
const PUSH_SETTINGS = {
  'transfer.hideRefs': SERVED,
  'core.bigFileThreshold': '32m',
  'transfer.fsckObjects': 'true',
  'receive.fsckObjects': 'true',
  // Old histories contain these, and nothing depends on them: the large hosts accept them too. docs/git.md has the reasons.
  'receive.fsck.badTimezone': 'ignore',
  'receive.fsck.missingSpaceBeforeDate': 'ignore',
  'receive.fsck.zeroPaddedFilemode': 'ignore',
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
  private readonly transfers = new Set<Promise<void>>();

  constructor(
    private readonly environment: Environment,
    private readonly git: GitProgram,
    private readonly store: GitStore,
    private readonly housekeeping: GitHousekeeping,
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
    if (!isFetch) await this.store.requireFreeSpace();
    // Version 2 does not exist for pushes.
    const env = isFetch ? protocolOf(request) : {};
    // Version 2 lists the refs later.
    const damaged = isVersion2(env)
      ? []
      : await this.findDamaged(repository, readerOf(request, response), defaultBranch);
    const args = isFetch
      ? ['upload-pack', '--strict', '--http-backend-info-refs', repository]
      : ['receive-pack', '--http-backend-info-refs', repository];
    const config = hiding(isFetch ? FETCH_SETTINGS : PUSH_SETTINGS, damaged);
    const { child, gone } = await this.start(args, { request, response, repository, config, env });
    gone.addEventListener('abort', () => child.stop());
    child.stdin.end();
    const begin = (): void => {
      beginAnswer(response, `${service}-advertisement`);
      if (!isVersion2(env)) response.write(Buffer.concat([pktLine(`# service=${service}\n`), FLUSH]));
    };
    const pace = new TransferPace(this.environment);
    const hasPrinted = await send(child, response, gone, begin, pace);
    const exit = await child.exited;
    pace.throwIfFailed();
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
    const body = bodyOf(request, MAX_NEGOTIATION_SIZE);
    const pace = new TransferPace(this.environment);
    try {
      const parts = paced(request, body, pace);
      const first = (await unlessGone(request, parts.next())).value ?? Buffer.alloc(0);
      const listsRefs = LIST_OF_REFS.test(first.toString('latin1', 0, 32));
      const damaged = listsRefs
        ? await this.findDamaged(repository, readerOf(request, response), defaultBranch)
        : [];
      const { child, gone } = await this.start(['upload-pack', '--strict', '--stateless-rpc', repository], {
        request,
        response,
        repository,
        config: hiding(FETCH_SETTINGS, damaged),
        env: protocolOf(request),
      });
      gone.addEventListener('abort', () => child.stop());
      await this.track(async () => {
        const feeding = feedOrStop({
          child,
          request,
          body,
          pace,
          parts,
          first,
          restLimit: MAX_NEGOTIATION_SIZE,
        });
        const begin = (): void => beginAnswer(response, `${service}-result`);
        const hasPrinted = await send(child, response, gone, begin, pace);
        const exit = await child.exited;
        this.end({ response, gone, pace, exit, hasPrinted, begin, failure: await feeding });
      });
    } finally {
      await close(body, pace);
    }
  }

  /**
   * Passes a push to git, and records the accepted changes before the response ends.
   * @throws InvalidRequestError, TooLargeFileError, GitUnavailableError
   */
  async push(push: GitRequest): Promise<void> {
    requireBodyOf(push.request, 'git-receive-pack');
    const { MAX_PUSH_SIZE } = this.environment;
    const limit = isCompressed(push.request)
      ? (MAX_PUSH_SIZE || MAX_UNPACKED) + PUSH_ALLOWANCE
      : MAX_PUSH_SIZE === 0
        ? 0
        : 2 * MAX_PUSH_SIZE + PUSH_ALLOWANCE;
    const body = bodyOf(push.request, limit);
    return this.track(async () => {
      // Git's timeout does not cover reading the commands, waiting for a slot, or discarding what git does not read.
      const late = setTimeout(() => endUnread(push.request), 2 * this.environment.GIT_TIMEOUT * 1000);
      const pace = new TransferPace(this.environment);
      try {
        await this.takePush(push, body, pace);
      } finally {
        clearTimeout(late);
        await close(body, pace);
      }
    });
  }

  private async takePush(
    { repositoryId, request, response }: GitRequest,
    body: AsyncGenerator<Buffer, void, undefined>,
    pace: TransferPace,
  ): Promise<void> {
    const parts = paced(request, body, pace);
    const service = 'git-receive-pack';
    const begin = (): void => beginAnswer(response, `${service}-result`);
    this.adapterHost.httpAdapter.connections.allowLong(response);
    const push = await unlessGone(request, readPushCommands(parts));
    const { skipped } = push;
    const branch = await this.branches.get(repositoryId);
    const repository = await this.heads.open(repositoryId, branch.defaultBranch);
    await this.store.requireFreeSpace();
    const room = await this.sizes.roomForPush();
    const { refs, damaged } = requireReadable(
      await this.refs.read(repositoryId, [BRANCHES, TAGS], readerOf(request, response)),
    );
    const refused = refusalOf(push, refs, room);
    const restLimit =
      this.environment.MAX_PUSH_SIZE === 0 ? 0 : this.environment.MAX_PUSH_SIZE + PUSH_ALLOWANCE;
    if (refused ?? push.updates.length === 0) {
      if (refused && !takesReport(push)) throw new InvalidRequestError('The push cannot be accepted.');
      await unlessGone(request, discardRest(request, body, { limit: restLimit, pace }));
      begin();
      if (skipped.count > 0 && !refused) response.write(Buffer.concat(wordOn(skipped).map(messageLine)));
      response.end(refused ?? (skipped.count > 0 ? reportOnSkipped(skipped) : undefined));
      return;
    }
    const updates = push.updates.filter(({ ref }) => ref.startsWith(BRANCHES) || ref.startsWith(TAGS));
    const { child, gone } = await this.start(['receive-pack', '--stateless-rpc', repository], {
      request,
      response,
      repository,
      ...(await this.settingsFor(branch, updates, { room, damaged })),
    });
    let isWhole = false;
    // Once git has the whole body, it may finish: an accepted push stays accepted even if the client has disconnected.
    gone.addEventListener('abort', () => isWhole || child.stop());
    if (gone.aborted) child.stop();
    let pushIds: number[] = [];
    try {
      // Git has not received any input yet.
      if (updates.length > 0) pushIds = await this.pushes.announce(repositoryId, request.caller.id, updates);
    } catch (error) {
      child.stop();
      throw error;
    }
    const feeding = feedOrStop({ child, request, body, pace, parts, first: push.bytes, restLimit }).finally(
      () => (isWhole = true),
    );
    const report = new PushReport(takesMessages(push));
    const hasPrinted = await send(child, response, gone, begin, pace, (chunk) => report.take(chunk));
    const exit = await child.exited;
    const waiting = takesMessages(push) ? keepAlive(response, gone, begin) : undefined;
    try {
      if (pushIds.length > 0) await this.settle(repositoryId, repository, { updates, pushIds });
    } finally {
      clearInterval(waiting);
    }
    const isDiskFull = report.isDiskFull || isFullDisk(exit.stderr);
    if (isDiskFull)
      this.logger.error({ repositoryId, stderr: exit.stderr }, 'The disk is full: a push has failed');
    if (hasPrinted && !gone.aborted) {
      if (!response.headersSent) begin();
      const messages = [...(isDiskFull ? [DISK_FULL] : []), ...wordOn(skipped)];
      if (takesMessages(push)) response.write(Buffer.concat(messages.map(messageLine)));
      response.write(
        report.end({
          added: skipped.report,
          reasonFor: (ref) => (damaged.includes(ref) ? DAMAGED : undefined),
        }),
      );
    }
    this.end({ response, gone, pace, exit, hasPrinted, begin, failure: await feeding });
  }

  /** Syncs what git has accepted, and records it. */
  private async settle(
    repositoryId: number,
    repository: string,
    { updates, pushIds }: { updates: readonly RefUpdate[]; pushIds: readonly number[] },
  ): Promise<void> {
    const names = updates.map(({ ref }) => ref);
    if (hasManyRefs(updates) && !(await this.housekeeping.packRefs(repository)))
      await syncRefFiles(repository, names);
    await syncRefs(repository, names);
    await this.record(pushIds, repositoryId);
  }

  /** Returns the names of damaged refs, which git would fail for, or show to clients that cannot fetch them. */
  private async findDamaged(
    repository: string,
    reader: RefReader,
    defaultBranch: string,
  ): Promise<readonly string[]> {
    const damaged = await findDamagedRefs(this.git, repository, reader);
    return damaged.includes(BRANCHES + defaultBranch) ? [...damaged, 'HEAD'] : damaged;
  }

  private async settingsFor(
    { defaultBranch, protectsDefaultBranch }: DefaultBranch,
    updates: readonly RefUpdate[],
    { room, damaged }: { room: number | undefined; damaged: readonly string[] },
  ): Promise<Pick<GitOptions, 'config' | 'env'>> {
    const ref = BRANCHES + defaultBranch;
    const isConcerned = updates.some((update) => update.ref === ref && update.oldHash !== NO_HASH);
    const needsHook = protectsDefaultBranch && isConcerned;
    return {
      config: {
        ...hiding(PUSH_SETTINGS, damaged),
        // They are packed and synced as one file afterwards.
        ...(hasManyRefs(updates) && { 'core.fsync': 'committed,loose-object' }),
        'receive.maxInputSize': String(room ?? 0),
        ...(needsHook && { 'core.hooksPath': await this.hook.requireFolder() }),
      },
      env: { ...LIMITED_MEMORY, ...(needsHook && { [PROTECTED_REF]: ref }) },
    };
  }

  /** Records a push. If that fails, for example because the database is unavailable, the push is recorded later. */
  private async record(pushIds: readonly number[], repositoryId: number): Promise<void> {
    try {
      await this.pushes.record(repositoryId, pushIds);
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

  private end({ response, gone, pace, exit, hasPrinted, begin, failure }: TransferEnd): void {
    // Its connection may have been closed because of it.
    pace.throwIfFailed();
    if (gone.aborted || response.req.socket.destroyed) throw new ClientGoneError();
    if (failure !== undefined) throw failure;
    if (!hasPrinted && exit.isGone) throw new NoResourceError('git repository');
    if (!hasPrinted && exit.code === null)
      throw new ServiceUnavailableError(undefined, 'git was ended before it had an answer.');
    if (!hasPrinted && exit.code !== 0) {
      this.logger.warn({ requestId: response.req.id, stderr: exit.stderr }, 'git could not read a request');
      throw new InvalidRequestError('git could not read the request.');
    }
    // It may have begun to be kept alive.
    if (!response.headersSent) begin();
    finish(response, exit);
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
  pace: TransferPace;
  exit: GitExit;
  hasPrinted: boolean;
  begin: () => void;
  /** The error of the request body, if any. */
  failure: Error | undefined;
}

/** Returns for whom the refs of a transfer are read, before it takes its own turn. */
const readerOf = ({ caller }: AuthorizedRequest, response: Response): RefReader => ({
  userId: caller.id,
  pool: 'transfers',
  signal: clientSignal(response),
});

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

/** Hides damaged refs as well. @throws GitRefsDamagedError when there are too many */
function hiding(config: GitConfig, damaged: readonly string[]): GitConfig {
  if (damaged.length === 0) return config;
  if (damaged.length > MAX_HIDDEN) throw new GitRefsDamagedError(`${damaged.length} refs`);
  return { ...config, 'transfer.hideRefs': [...config['transfer.hideRefs'], ...damaged] };
}

/** Settings that hide refs. */
type GitConfig = Readonly<Record<string, string | readonly string[]>> & {
  'transfer.hideRefs': readonly string[];
};

/** Returns whether a push creates so many refs that they are packed. */
const hasManyRefs = (updates: readonly RefUpdate[]): boolean =>
  updates.filter(isCreation).length >= MANY_REFS;

/** Keeps a connection alive until the timer is cleared. */
const keepAlive = (response: Response, gone: AbortSignal, begin: () => void): NodeJS.Timeout =>
  setInterval(() => {
    if (gone.aborted) return;
    if (!response.headersSent) begin();
    response.write(KEEP_ALIVE);
  }, KEEP_ALIVE_MS);

/** What `feedOrStop` passes to git. */
interface Feeding {
  child: GitChild;
  request: AuthorizedRequest;
  body: AsyncGenerator<Buffer, void, undefined>;
  /** The same body, whose client has to send it at a minimum rate. */
  parts: AsyncIterator<Buffer, void>;
  pace: TransferPace;
  /** The beginning of the body, which has been read. */
  first: Buffer;
  /** Maximum number of bytes that are still read after git has exited; 0 = no limit. */
  restLimit: number;
}

/** Passes the body to git. Resolves with the error of the body, if any, after stopping git. */
async function feedOrStop({
  child,
  request,
  body,
  parts,
  pace,
  first,
  restLimit,
}: Feeding): Promise<Error | undefined> {
  try {
    if (!(await feed(child, parts, first))) await discardRest(request, body, { limit: restLimit, pace });
    return undefined;
  } catch (error) {
    child.stop();
    return error as Error;
  }
}

/**
 * Closes a body whose rest is no longer read from the connection. Does not wait for the next part of a client that is too slow, which would
 * delay its answer.
 */
async function close(body: AsyncGenerator<Buffer, void, undefined>, pace: TransferPace): Promise<void> {
  const end = body.return();
  if (pace.hasFailed) end.catch(() => undefined);
  else await end;
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
