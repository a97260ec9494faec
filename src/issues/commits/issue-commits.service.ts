import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Caller } from '../../access/caller';
import { DEVELOPERS } from '../../access/role-type';
import { BackgroundService } from '../../background/background.service';
import { type BackgroundWork } from '../../background/background-work';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { DomainError, ServiceUnavailableError } from '../../errors/domain-errors';
import { loopTurns } from '../../event-loop/loop-turns';
import { PushesService } from '../../git-repositories/pushes/pushes.service';
import { type AcceptedPush } from '../../git-repositories/pushes/accepted-push';
import {
  type CommitRange,
  type PushedCommit,
  PushedCommitsService,
} from '../../git-repositories/pushes/pushed-commits.service';
import { BRANCHES, NO_HASH } from '../../git-repositories/refs/ref-names';
import { statusOf } from '../../project-settings/data/setting-sql';
import { StandardStatus } from '../../project-settings/standard-status';
import { AgentsService } from '../../users/agents.service';
import { UsersService } from '../../users/users.service';
import { IssueUpdateService } from '../changes/issue-update.service';
import { IssueCommitRepository, type PendingIssueCommit } from '../data/issue-commit.repository';
import { IssueLookupRepository } from '../data/issue-lookup.repository';
import { UpdateIssueDto } from '../dto/update-issue.dto';
import { type IssueMention, mentionFinder } from './issue-mentions';

/** Maximum number of commits processed per push. */
const MAX_COMMITS = 1000;
/** Maximum number of issue mentions processed per push, counted per commit. */
const MAX_MENTIONS = 2000;
/** Maximum length of a commit message quoted in a comment, in characters. */
const MAX_MESSAGE = 10_000;
/** Action of a row that only mentions a commit. */
const MENTION = 0;
const CLOSED = StandardStatus.Closed;
const BATCH = 100;
const INTERVAL_MS = 60_000;
/** Number of messages parsed per slice of the event loop. */
const MESSAGES_AT_ONCE = 50;

/** An action of a commit on an issue. */
interface Due extends IssueMention {
  commit: PushedCommit;
  action: number;
}

/** Thrown when another process has settled the rows. */
class SettledError extends Error {}

/**
 * Records commits on the issues that their messages name, and applies requested statuses on the default branch. The actions are stored in
 * the transaction that records the push and settled later, each in its own transaction with the comment. So a long push or an issue that
 * cannot be changed does not delay the others, and a crash neither loses nor repeats an action.
 */
@Injectable()
export class IssueCommitsService implements OnModuleInit {
  private readonly logger = new Logger(IssueCommitsService.name);
  private readonly background: BackgroundWork;

  constructor(
    background: BackgroundService,
    private readonly transactions: TransactionsService,
    private readonly pushes: PushesService,
    private readonly commits: PushedCommitsService,
    private readonly rows: IssueCommitRepository,
    private readonly lookups: IssueLookupRepository,
    private readonly updates: IssueUpdateService,
    private readonly users: UsersService,
    private readonly agents: AgentsService,
  ) {
    this.background = background.add('issue_commits', () => this.settleAll(), {
      intervalMs: INTERVAL_MS,
      failure: 'Could not process the commits that mention issues',
    });
  }

  onModuleInit(): void {
    this.pushes.onPush((push) => this.prepareActions(push));
  }

  /** Finds the actions of a push on issues. */
  private async prepareActions(push: AcceptedPush): Promise<(manager: EntityManager) => Promise<void>> {
    const dues = byCommit([...(await this.findMentions(push)), ...(await this.findStatuses(push))]);
    return async (manager) => {
      if (dues.length === 0) return;
      const keyIds = [...new Set(dues.map(({ keyId }) => keyId))].sort((one, other) => one - other);
      const issueIds = await this.rows.lockIssueIds(manager, push.projectId, keyIds);
      const pendingSince = Date.now();
      const pusher = { userId: push.userId, agentKeyId: push.agent?.keyId ?? null };
      const rows = dues.flatMap(({ commit, keyId, action }) => {
        const issueId = issueIds.get(keyId);
        if (issueId === undefined) return [];
        const comment = action === MENTION ? commitComment(commit, push.repository.name) : '';
        return [{ issueId, hash: commit.hash, action, ...pusher, comment, pendingSince }];
      });
      if (rows.length === 0) return;
      await this.rows.insertMissing(manager, rows);
      this.transactions.afterCommit(manager, () => this.background.start());
    };
  }

  /** Finds the issues named by commits that are new in the repository. */
  private async findMentions({
    repositoryId,
    repository,
    userId,
    updates,
    before,
  }: AcceptedPush): Promise<Due[]> {
    const known = new Set(before.values());
    const hashes = updates.flatMap(({ newHash }) =>
      newHash === NO_HASH || known.has(newHash) ? [] : [newHash],
    );
    const heads = new Set((await this.commits.resolve(repositoryId, hashes)).values());
    if (heads.size === 0) return [];
    const range = { userId, to: [...heads], notFrom: [...known] };
    return this.findIn(repositoryId, range, repository.projectKey, () => MENTION);
  }

  /** Finds the statuses requested by commits that have reached the default branch. */
  private async findStatuses({ repositoryId, repository, userId, updates }: AcceptedPush): Promise<Due[]> {
    const { defaultBranch, projectKey } = repository;
    const update = updates.find(({ ref }) => ref === BRANCHES + defaultBranch);
    if (!update || update.newHash === NO_HASH) return [];
    const range = { userId, to: [update.newHash], notFrom: [update.oldHash] };
    return this.findIn(repositoryId, range, projectKey, ({ statusId }) => statusId);
  }

  /** Returns the actions in a range of commits, oldest commit first. */
  private async findIn(
    repositoryId: number,
    range: CommitRange,
    projectKey: string,
    toAction: (mention: IssueMention) => number | undefined,
  ): Promise<Due[]> {
    const commits = await this.commits.list(repositoryId, range, MAX_COMMITS, `${projectKey}-`);
    const find = mentionFinder(projectKey);
    const dues: Due[] = [];
    for (const [index, commit] of commits.reverse().entries()) {
      if (index % MESSAGES_AT_ONCE === MESSAGES_AT_ONCE - 1) await loopTurns.nextSlice();
      for (const mention of find(commit.message)) {
        const action = toAction(mention);
        if (action !== undefined) dues.push({ ...mention, commit, action });
      }
    }
    return dues;
  }

  private async settleAll(): Promise<void> {
    let afterId = 0;
    // Rows that came before their turn, with others of their commit.
    const early = new Set<number>();
    for (let found = BATCH; found === BATCH;) {
      const batch = await this.rows.findPending(afterId, BATCH);
      found = batch.length;
      afterId = batch.at(-1)?.id ?? afterId;
      const later = found === BATCH ? await this.rows.findPendingWith(batch) : [];
      const rows = [...batch, ...later].filter(({ id }) => !early.has(id));
      for (const { id } of later) early.add(id);
      const pusherOf = await this.findPushers(rows);
      for (const group of groupByCommit(rows)) {
        if (this.background.isStopping) return;
        // The next run retries; the remaining issues are still processed.
        await this.settle(group, pusherOf(group[0])).catch((error: unknown) =>
          this.logger.error({ err: error }, `Could not add a commit to issue ${group[0].issueId}`),
        );
      }
    }
  }

  /** Settles the actions of one commit on one issue. */
  private async settle(rows: CommitGroup, pusher: Caller | undefined): Promise<void> {
    const markSettled = async (manager: EntityManager): Promise<void> => {
      const ids = rows.map(({ id }) => id);
      if ((await this.rows.settle(manager, ids)) < ids.length) throw new SettledError();
    };
    try {
      const isChanged = await this.change(rows, pusher, markSettled);
      if (!isChanged) await this.transactions.run(markSettled);
    } catch (error) {
      if (error instanceof SettledError) return;
      if (!(error instanceof DomainError) || error instanceof ServiceUnavailableError) throw error;
      // The issue has been deleted or rejects the change, so a retry would fail too.
      this.logger.warn({ err: error }, `A commit was not added to issue ${rows[0].issueId}`);
      await this.transactions.run(markSettled).catch(ignoreSettled);
    }
  }

  /** Comments on an issue and sets its status. @returns whether there was something to do that the pusher is allowed to do */
  private async change(
    rows: CommitGroup,
    caller: Caller | undefined,
    markSettled: (manager: EntityManager) => Promise<void>,
  ): Promise<boolean> {
    const [{ issueId, hash }] = rows;
    const issue = caller && (await this.lookups.findWhole(caller, { id: issueId }));
    if (!caller || !issue) return false;
    const comment = rows.find(({ action }) => action === MENTION)?.comment;
    const wanted = Math.max(...rows.map(({ action }) => action));
    const status = statusOf(issue.status);
    // A closed issue is never reopened by resolving it, not even one that is closed from now on.
    const isNew = wanted !== MENTION && status.id !== wanted && status.id !== (CLOSED as number);
    if (comment === undefined && !isNew) return false;
    const body = Object.assign(new UpdateIssueDto(), { comment, statusId: isNew ? wanted : undefined });
    // The key of the push may be limited to the project: the message reveals and notifies nobody outside it.
    const author = { ...caller, projectIds: new Set([issue.projectId]) };
    await this.updates.apply(issue, author, body, {
      reason: { commit: hash, keeps: CLOSED, alongside: markSettled },
    });
    return true;
  }

  /** Returns a function that returns the pusher of a row, if they are still allowed to change issues. */
  private async findPushers(
    rows: readonly PendingIssueCommit[],
  ): Promise<(row: PendingIssueCommit) => Caller | undefined> {
    const users = await this.users.findActiveByIds([...new Set(rows.map(({ userId }) => userId))]);
    const agentOf = await this.agents.findOf(rows);
    return (row) => {
      const user = users.get(row.userId);
      if (!user || !DEVELOPERS.includes(user.roleType)) return undefined;
      return { id: user.id, roleType: user.roleType, agent: agentOf(row) };
    };
  }
}

/** Groups the actions by commit, in the order of each commit's first appearance, and truncates them to the limit of one push. */
function byCommit(dues: readonly Due[]): Due[] {
  const places = new Map<string, number>();
  for (const { commit } of dues) if (!places.has(commit.hash)) places.set(commit.hash, places.size);
  const placeOf = ({ commit }: Due): number => places.get(commit.hash) ?? 0;
  return [...dues].sort((one, other) => placeOf(one) - placeOf(other)).slice(0, MAX_MENTIONS);
}

type CommitGroup = readonly [PendingIssueCommit, ...PendingIssueCommit[]];

/** Groups rows by issue, commit and pusher, ordered by the first row of each group. */
function groupByCommit(rows: readonly PendingIssueCommit[]): CommitGroup[] {
  const groups = new Map<string, [PendingIssueCommit, ...PendingIssueCommit[]]>();
  for (const row of rows) {
    const key = `${row.issueId} ${row.hash} ${row.userId} ${row.agentKeyId}`;
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return [...groups.values()];
}

const commitComment = ({ hash, message }: PushedCommit, repository: string): string =>
  `Commit ${hash} in ${repository}\n\n${message.slice(0, MAX_MESSAGE).replace(/[\ud800-\udbff]$/, '')}`;

const ignoreSettled = (error: unknown): void => {
  if (!(error instanceof SettledError)) throw error;
};
