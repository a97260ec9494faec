import { Injectable, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type Response } from 'express';
import { type AuthorizedRequest } from '../../access/access';
import { Environment } from '../../config/environment';
import { InvalidRequestError } from '../../errors/domain-errors';
import { isFullDisk } from '../../git/git-errors';
import { GitHousekeeping } from '../../git/git-housekeeping';
import { type GitOptions, LIMITED_MEMORY } from '../../git/git-program';
import { GitStore } from '../../git/git-store';
import { syncRefFiles, syncRefs } from '../../git/sync-folders';
import { TransferPace } from '../../git/transfer-pace';
import { clientSignal } from '../../http/server/client-signal';
import { type ServiceAdapter } from '../../http/server/service-adapter';
import { type DefaultBranch } from '../data/git-repository.repository';
import { DefaultBranchService } from '../default-branch.service';
import { type RefUpdate } from '../entities/git-push.entity';
import { PushesService } from '../pushes/pushes.service';
import { GitHeadService } from '../refs/git-head.service';
import { GitRefsService } from '../refs/git-refs.service';
import { BRANCHES, NO_HASH, TAGS } from '../refs/ref-names';
import { requireReadable } from '../refs/ref-states';
import { GitSizesService } from '../storage/git-sizes.service';
import { beginAnswer, bodyOf, discardRest, isCompressed, requireBodyOf } from './git-request';
import { closeBody, feedOrStop, readerOf, requireMinRate, send, throwIfDisconnected } from './git-transfer';
import { type GitRequest, GitTransfersService } from './git-transfers.service';
import { KEEP_ALIVE, messageLine } from './pkt-line';
import { LargePushesService } from './large-pushes.service';
import { isCreation, readPushCommands, reportOnSkipped, takesMessages, takesReport } from './push-commands';
import { PROTECTED_REF, PushHookService } from './push-hook.service';
import { noteSkipped, refusalOf } from './push-refusal';
import { PushReport } from './push-report';
import { PUSH_SETTINGS, withHiddenRefs } from './serving-settings';

/** Maximum size of a push beyond its pack, in bytes: its commands, and what is still read after git has rejected it. */
const PUSH_ALLOWANCE = 64 * 1024 * 1024;
/** Number of new refs of a push from which they are packed into one file: each has a file of its own otherwise. */
const MANY_REFS = 500;
/** Interval at which a connection is kept alive while a push is recorded, in milliseconds. */
const KEEP_ALIVE_MS = 5000;
/** Maximum unpacked size of a compressed push if `MAX_PUSH_SIZE` sets no limit, in bytes. Git itself never compresses pushes. */
const MAX_UNPACKED = 1024 ** 3;
const DAMAGED = 'it is damaged on the server: its operator can repair it with pms doctor --fix';
const DISK_FULL =
  'The disk of the server is full. Refused refs are not stored; the operator of the server must free space.';

/** The body of a push. */
interface PushBody {
  body: AsyncGenerator<Buffer, void, undefined>;
  /** The minimum rate at which the client has to send it. */
  pace: TransferPace;
  /** Waits until a push that lists many refs may continue. */
  whenLarge: () => Promise<void>;
}

/** Receives pushes from git clients. */
@Injectable()
export class GitPushService {
  private readonly logger = new Logger(GitPushService.name);

  constructor(
    private readonly environment: Environment,
    private readonly store: GitStore,
    private readonly housekeeping: GitHousekeeping,
    private readonly heads: GitHeadService,
    private readonly refs: GitRefsService,
    private readonly branches: DefaultBranchService,
    private readonly pushes: PushesService,
    private readonly hook: PushHookService,
    private readonly sizes: GitSizesService,
    private readonly transfers: GitTransfersService,
    private readonly largePushes: LargePushesService,
    private readonly adapterHost: HttpAdapterHost<ServiceAdapter>,
  ) {}

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
    return this.transfers.track(async () => {
      // Git's timeout does not cover reading the commands, waiting for a slot, or discarding what git does not read.
      const late = setTimeout(() => closeIfUnread(push.request), 2 * this.environment.GIT_TIMEOUT * 1000);
      const pace = new TransferPace(this.environment);
      let release: (() => void) | undefined;
      const whenLarge = async (): Promise<void> => {
        release = await this.largePushes.take(push.request.caller.id, clientSignal(push.response));
      };
      try {
        await this.receivePush(push, { body, pace, whenLarge });
      } finally {
        release?.();
        clearTimeout(late);
        await closeBody(body, pace);
      }
    });
  }

  private async receivePush(
    { repositoryId, request, response }: GitRequest,
    { body, pace, whenLarge }: PushBody,
  ): Promise<void> {
    const parts = requireMinRate(request, body, pace);
    const service = 'git-receive-pack';
    const begin = (): void => beginAnswer(response, `${service}-result`);
    this.adapterHost.httpAdapter.connections.allowSlowRequest(response);
    const push = await throwIfDisconnected(request, readPushCommands(parts, whenLarge));
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
      await throwIfDisconnected(request, discardRest(request, body, { limit: restLimit, pace }));
      begin();
      if (skipped.count > 0 && !refused) response.write(Buffer.concat(noteSkipped(skipped).map(messageLine)));
      response.end(refused ?? (skipped.count > 0 ? reportOnSkipped(skipped) : undefined));
      return;
    }
    const updates = push.updates.filter(({ ref }) => ref.startsWith(BRANCHES) || ref.startsWith(TAGS));
    const { child, gone } = await this.transfers.start(['receive-pack', '--stateless-rpc', repository], {
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
      if (updates.length > 0) pushIds = await this.pushes.announce(repositoryId, request.caller, updates);
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
      if (pushIds.length > 0) await this.syncAndRecord(repositoryId, repository, { updates, pushIds });
    } finally {
      clearInterval(waiting);
    }
    const isDiskFull = report.isDiskFull || isFullDisk(exit.stderr);
    if (isDiskFull)
      this.logger.error({ repositoryId, stderr: exit.stderr }, 'The disk is full: a push has failed');
    if (hasPrinted && !gone.aborted) {
      if (!response.headersSent) begin();
      const messages = [...(isDiskFull ? [DISK_FULL] : []), ...noteSkipped(skipped)];
      if (takesMessages(push)) response.write(Buffer.concat(messages.map(messageLine)));
      response.write(
        report.end({
          added: skipped.report,
          reasonFor: (ref) => (damaged.includes(ref) ? DAMAGED : undefined),
        }),
      );
    }
    this.transfers.end({ response, gone, pace, exit, hasPrinted, begin, failure: await feeding });
  }

  /** Syncs what git has accepted, and records it. */
  private async syncAndRecord(
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
        ...withHiddenRefs(PUSH_SETTINGS, damaged),
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
}

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

/** Closes the connection of a request whose body has not arrived. */
function closeIfUnread(request: AuthorizedRequest): void {
  if (!request.complete) request.destroy();
}
