import { Injectable } from '@nestjs/common';
import { type AuthorizedRequest } from '../../access/access';
import { Environment } from '../../config/environment';
import { UnauthorizedOperationError } from '../../errors/domain-errors';
import { toGitError } from '../../git/git-errors';
import { GitProgram } from '../../git/git-program';
import { GitStore } from '../../git/git-store';
import { TransferPace } from '../../git/transfer-pace';
import { refuseBody } from '../../http/request/request-body';
import { queryOf } from '../../http/request/query';
import { ClientGoneError } from '../../http/server/client-signal';
import { DefaultBranchService } from '../default-branch.service';
import { GitHeadService } from '../refs/git-head.service';
import { BRANCHES } from '../refs/ref-names';
import { findDamagedRefs, type RefReader } from '../refs/ref-states';
import {
  beginAnswer,
  bodyOf,
  type GitService,
  isVersion2,
  protocolOf,
  requireBodyOf,
  SERVICES,
} from './git-request';
import { closeBody, feedOrStop, readerOf, requireMinRate, send, throwIfDisconnected } from './git-transfer';
import { finish, type GitRequest, GitTransfersService } from './git-transfers.service';
import { FLUSH, pktLine } from './pkt-line';
import { FETCH_SETTINGS, PUSH_SETTINGS, withHiddenRefs } from './serving-settings';

/** Maximum size of the request body of a fetch, in bytes. */
const MAX_NEGOTIATION_SIZE = 8 * 1024 * 1024;
/** How the request for the list of refs starts in version 2 of the protocol. */
const LIST_OF_REFS = /^[0-9a-f]{4}command=ls-refs\n?/;

/** Sends the refs and objects of repositories to git clients. */
@Injectable()
export class GitFetchService {
  constructor(
    private readonly environment: Environment,
    private readonly git: GitProgram,
    private readonly store: GitStore,
    private readonly heads: GitHeadService,
    private readonly branches: DefaultBranchService,
    private readonly transfers: GitTransfersService,
  ) {}

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
    const config = withHiddenRefs(isFetch ? FETCH_SETTINGS : PUSH_SETTINGS, damaged);
    const { child, gone } = await this.transfers.start(args, { request, response, repository, config, env });
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
      const parts = requireMinRate(request, body, pace);
      const first = (await throwIfDisconnected(request, parts.next())).value ?? Buffer.alloc(0);
      const listsRefs = LIST_OF_REFS.test(first.toString('latin1', 0, 32));
      const damaged = listsRefs
        ? await this.findDamaged(repository, readerOf(request, response), defaultBranch)
        : [];
      const { child, gone } = await this.transfers.start(
        ['upload-pack', '--strict', '--stateless-rpc', repository],
        {
          request,
          response,
          repository,
          config: withHiddenRefs(FETCH_SETTINGS, damaged),
          env: protocolOf(request),
        },
      );
      gone.addEventListener('abort', () => child.stop());
      await this.transfers.track(async () => {
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
        this.transfers.end({ response, gone, pace, exit, hasPrinted, begin, failure: await feeding });
      });
    } finally {
      await closeBody(body, pace);
    }
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
