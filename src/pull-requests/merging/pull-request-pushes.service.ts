import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { PushesService } from '../../git-repositories/pushes/pushes.service';
import { type AcceptedPush } from '../../git-repositories/pushes/accepted-push';
import { BRANCHES, NO_HASH } from '../../git-repositories/refs/ref-names';
import { UsersService } from '../../users/users.service';
import {
  type CreatedMerge,
  type PullRequestChange,
  PullRequestWriterService,
} from '../changes/pull-request-writer.service';
import { type OpenPullRequest, PullRequestRepository } from '../data/pull-request.repository';
import { PullRequestEventsService } from '../pull-request-events.service';
import { PullRequestStatus } from '../pull-request-status';
import { BranchHeadsService } from './branch-heads.service';
import { ReachedCommitsService } from './reached-commits.service';

/** Maximum number of branch names in one statement. */
const NAMES_AT_ONCE = 500;
/** Maximum number of open pull requests that one push updates: the newest ones of its branches. */
const MAX_PULL_REQUESTS = 1000;
/** Maximum number of pull requests that one push merges. */
const MAX_MERGED = 100;

type Update = AcceptedPush['updates'][number];

/** A merge found in a push. */
interface PushedMerge {
  id: number;
  merge: CreatedMerge;
}

/** Updates the heads of open pull requests after pushes to their branches, and detects those that a push has merged. */
@Injectable()
export class PullRequestPushesService implements OnModuleInit {
  constructor(
    private readonly pushes: PushesService,
    private readonly pullRequests: PullRequestRepository,
    private readonly writer: PullRequestWriterService,
    private readonly events: PullRequestEventsService,
    private readonly branches: BranchHeadsService,
    private readonly reached: ReachedCommitsService,
    private readonly users: UsersService,
  ) {}

  onModuleInit(): void {
    this.pushes.onPush((push) => this.prepareEffects(push));
  }

  /** Examines a push in git, and returns a function that writes its effects on pull requests. */
  private async prepareEffects(push: AcceptedPush): Promise<(manager: EntityManager) => Promise<void>> {
    const updates = updatesOfBranches(push);
    const open = await this.findOpen(push.repositoryId, [...updates.keys()]);
    const heads = open.map((row) => ({
      row,
      commit:
        newHashOf(updates.get(row.branch)) ?? push.before.get(BRANCHES + row.branch) ?? row.branchCommit,
    }));
    await this.branches.keep(
      push.repositoryId,
      heads.flatMap(({ row: { number, branch, branchCommit }, commit }) =>
        commit !== null && (updates.has(branch) || commit !== branchCommit) ? [{ number, commit }] : [],
      ),
    );
    const merged = await this.findMerged(push, updates, heads);
    const changes = await this.changesOf(push, open, merged);
    const names = new Set(open.flatMap(({ base, branch }) => [base, branch]));
    return async (manager) => {
      // Takes locks first, in a consistent order.
      for (const { id, merge, change } of changes) await this.recordMerge(manager, id, change, merge);
      for (const branch of names) {
        const commit = newHashOf(updates.get(branch));
        if (commit !== undefined)
          await this.pullRequests.updateBranchCommit(manager, push.repositoryId, { branch, commit });
      }
    };
  }

  private async findOpen(repositoryId: number, names: readonly string[]): Promise<OpenPullRequest[]> {
    const found = new Map<number, OpenPullRequest>();
    for (let start = 0; start < names.length && found.size < MAX_PULL_REQUESTS; start += NAMES_AT_ONCE) {
      const some = names.slice(start, start + NAMES_AT_ONCE);
      const rows = await this.pullRequests.findOpenOfBranches(repositoryId, some, MAX_PULL_REQUESTS);
      for (const row of rows) found.set(row.id, row);
    }
    return [...found.values()];
  }

  /** Returns the merges of a push. A head that the base contained before does not count: its branch may have no commits of its own. */
  private async findMerged(
    { repositoryId, userId }: AcceptedPush,
    updates: ReadonlyMap<string, Update>,
    heads: readonly { row: OpenPullRequest; commit: string | null }[],
  ): Promise<PushedMerge[]> {
    const merged: PushedMerge[] = [];
    for (const [base, { oldHash: from, newHash: to }] of updates) {
      if (from === NO_HASH || to === NO_HASH) continue;
      const onto = heads.filter(({ row }) => row.base === base);
      const commits = onto.flatMap(({ commit }) => commit ?? []);
      const reached = await this.reached.filterReached({ repositoryId, userId, from, to }, commits);
      for (const { row, commit } of onto) {
        if (commit === null || !reached.has(commit) || merged.length >= MAX_MERGED) continue;
        const mergeCommit = await this.reached.findMergingCommit({ repositoryId, userId, from, to }, commit);
        const merge = { base, branch: row.branch, baseCommit: from, branchCommit: commit, mergeCommit };
        merged.push({ id: row.id, merge: { ...merge, isOwn: true } });
      }
    }
    return merged.sort((one, other) => one.id - other.id);
  }

  /** Returns the changes to write for the merges, made by the pusher and without a text. */
  private async changesOf(
    { userId, agent }: AcceptedPush,
    [first]: readonly OpenPullRequest[],
    merged: readonly PushedMerge[],
  ): Promise<(PushedMerge & { change: PullRequestChange })[]> {
    if (!first || merged.length === 0) return [];
    const { id, roleType } = await this.users.get(userId);
    const caller = { id, roleType, agent };
    const people = await this.events.peopleOf(first.projectId, caller, {});
    const change = { caller, body: { statusId: PullRequestStatus.Merged }, people };
    return merged.map((one) => ({ ...one, change }));
  }

  private async recordMerge(
    manager: EntityManager,
    id: number,
    change: PullRequestChange,
    merge: CreatedMerge,
  ): Promise<void> {
    if (await this.pullRequests.lockIfOpen(manager, id, merge))
      await this.writer.write(manager, id, change, merge);
  }
}

/** Returns the updates of branches, by branch name. */
const updatesOfBranches = ({ updates }: AcceptedPush): Map<string, Update> =>
  new Map(
    updates
      .filter(({ ref }) => ref.startsWith(BRANCHES))
      .map((update) => [update.ref.slice(BRANCHES.length), update]),
  );

/** Returns the new head of a branch; undefined when it is unchanged or deleted. */
const newHashOf = (update: Update | undefined): string | undefined =>
  update === undefined || update.newHash === NO_HASH ? undefined : update.newHash;
